"""What a model wrote -> the value it wrote. `parse` is the verb."""
