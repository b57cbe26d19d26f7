"""Creates the JSON Schema of a vector file, and validates files."""

from jsonschema import Draft202012Validator

from . import operations
from .family import NOTES, Family

ARGUMENT_REASONS = "^[a-z]+(?:-[a-z0-9]+)*$"


def schema_of(family: Family) -> dict:
    operation = operations.REGISTER[family.operation]
    common = {
        "id": {"type": "string", "pattern": f"^{family.name}-[0-9]{{4}}$"},
        "comment": {"type": "string", "minLength": 1},
        "flags": {"type": "array", "uniqueItems": True, "items": {"enum": sorted({**NOTES, **family.notes})}},
        "requirements": {"type": "array", "items": {"type": "string", "pattern": "^INK-[A-Z]+-[0-9]{3}$"}},
    }

    def shape(**own):
        members = {**common, **own}
        return {
            "type": "object",
            "additionalProperties": False,
            "required": list(members),
            "properties": members,
        }

    arguments = operation.arguments.schema(of_arguments=True)
    valid = {"args": arguments, "result": operation.result.schema()}
    if operation.intermediates is not None:
        valid["intermediates"] = operation.intermediates.schema()
    shapes = [shape(**valid)]
    own = [pair for pair in operation.refusals if pair[0] != "arguments"]
    if own:
        shapes.append(shape(args=arguments, error={"oneOf": [pair_schema(*pair) for pair in own]}))
    # Refused arguments are malformed on purpose, so the schema accepts any.
    malformed = pair_schema("arguments", None)
    shapes.append(shape(args={"type": "object"}, error=malformed))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{family.name} vectors",
        "type": "object",
        "additionalProperties": False,
        "required": ["schema", "specification", "operation", "description", "caseCount", "notes", "cases"],
        "properties": {
            "schema": {"const": f"schema/{family.name}.schema.json"},
            "specification": {"const": family.specification},
            "operation": {"const": family.operation},
            "description": {"type": "string", "minLength": 1},
            "caseCount": {"type": "integer", "minimum": 1},
            "notes": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["meaning", "reason"],
                    "properties": {"meaning": {"type": "string"}, "reason": {"type": "string"}},
                },
            },
            "insensitive": {
                "type": "object",
                "additionalProperties": False,
                "properties": {name: {"type": "string"} for name in operation.arguments.members},
            },
            "cases": {"type": "array", "items": {"oneOf": shapes}},
        },
    }


def pair_schema(stage: str, reason: str | None) -> dict:
    if stage.endswith("-N"):
        stage_schema = {"type": "string", "pattern": f"^{stage[:-1]}[1-9][0-9]*$"}
    else:
        stage_schema = {"const": stage}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["stage", "reason"],
        "properties": {
            "stage": stage_schema,
            "reason": {"const": reason} if reason else {"type": "string", "pattern": ARGUMENT_REASONS},
        },
    }


def validate(name: str, content: dict, schema: dict):
    Draft202012Validator.check_schema(schema)
    faults = list(Draft202012Validator(schema).iter_errors(content))
    if faults:
        raise AssertionError(f"{name}: {faults[0].json_path}: {faults[0].message[:300]}")
    if content["caseCount"] != len(content["cases"]):
        raise AssertionError(f"{name}: caseCount is wrong")
    identifiers = [case["id"] for case in content["cases"]]
    if len(set(identifiers)) != len(identifiers):
        raise AssertionError(f"{name}: an id is repeated")
