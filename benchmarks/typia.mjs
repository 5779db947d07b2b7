// What `broken.py` runs for typia: reads {document, inputs: [[function, text]]}, writes the results.
// The document is OpenAPI 3.1; each function's parameters are a schema of its components.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const { LlmJson, LlmSchemaConverter, OpenApiConverter } = require("@typia/utils");
const { document, inputs } = JSON.parse(readFileSync(0, "utf8"));
const { components } = OpenApiConverter.upgradeDocument(document);

const read = ([name, text]) => {
  const converted = LlmSchemaConverter.parameters({
    components,
    schema: { $ref: `#/components/schemas/${name}` },
  });
  if (!converted.success) throw new Error(JSON.stringify(converted));
  const reader = LlmJson.structuredOutput(converted.value, true);
  const parsed = reader.parse(text);
  if (!parsed.success) return { told: LlmJson.stringify(parsed) };
  const checked = reader.validate(parsed.data);
  return checked.success ? { value: checked.data } : { told: LlmJson.stringify(checked) };
};

const results = inputs.map(read);
const { version } = JSON.parse(
  readFileSync(`${process.argv[2]}/node_modules/@typia/utils/package.json`, "utf8"),
);
console.log(JSON.stringify({ version, results }));
