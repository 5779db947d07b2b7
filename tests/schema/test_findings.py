from pyfunctools.schema.parsing.recovery import MAX_PATHS, MAX_REPAIRS, Findings, place_of


def test_a_complaint_names_line_and_column():
    findings = Findings("ab\ncd\n", most=9)
    findings.complain(4, ("x", 0), "`d`", "is wrong", "a digit", "d")
    issue = findings.issues[0]
    assert (issue.path, issue.expected, issue.value) == ("$input.x[0]", "a digit", "d")
    assert issue.message == "`d` at line 2 column 2 is wrong."
    assert place_of("ab\ncd\n", 0) == (1, 1)
    assert place_of("ab\ncd\n", 6) == (3, 1)


def test_reading_ends_with_as_many_issues_as_are_wanted():
    findings = Findings("", most=2)
    findings.complain(0, (), "This", "is wrong", "that")
    assert not findings.full
    findings.complain(0, (), "This", "is wrong", "that")
    assert findings.full


def test_reading_ends_with_more_repairs_than_are_made():
    findings = Findings("", most=9)
    for _ in range(MAX_REPAIRS):
        findings.repair(0, (), "comma", ";", ",")
    assert not findings.full
    findings.repair(0, (), "comma", ";", ",")
    findings.repair(0, (), "comma", ";", ",")
    assert findings.full
    assert len(findings.issues) == 1
    assert len(findings.repairs) == MAX_REPAIRS


def test_reading_ends_when_the_paths_of_repairs_grow_too_long():
    findings = Findings("", most=9)
    name = "k" * (MAX_PATHS // 4)
    for _ in range(3):
        findings.repair(0, (name,), "comma", ";", ",")
    assert not findings.full
    findings.repair(0, (name,), "comma", ";", ",")
    assert findings.full
