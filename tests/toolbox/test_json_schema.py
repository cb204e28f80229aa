"""Schemas that somebody wrote: refused where they are wrong, and what does not fit one is said in one line."""

import subprocess
import sys
from typing import Any, cast

import pytest

from xun.errors import ConfigurationError
from xun.toolbox.json_schema import JsonSchema

ADDRESS = {
    "type": "object",
    "properties": {
        "street": {"type": "string", "minLength": 1},
        "number": {"type": "integer", "minimum": 1, "default": 1},
        "tags": {"type": "array", "items": {"enum": ["home", "work", 3, None]}, "maxItems": 2, "uniqueItems": True},
        "at": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/point"}]},
        "kind": {"const": "address"},
        "note": {"type": ["string", "null"], "pattern": "^[a-z]+$"},
        "rest": {"type": "object", "patternProperties": {"^x-": {}}, "additionalProperties": False},
    },
    "required": ["street"],
    "additionalProperties": False,
    "$defs": {"point": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}},
}


@pytest.mark.parametrize(
    "value",
    [
        {"street": "s"},
        {"street": "s", "number": 2, "tags": ["home", 3], "at": {"x": 1.5}, "kind": "address", "note": None},
        {"street": "s", "rest": {"x-a": [1]}, "at": "here", "number": 3.0},
    ],
)
def test_what_fits_fits_and_is_left_as_it_is(value: dict[str, Any]):
    before = repr(value)
    assert JsonSchema(ADDRESS).check(value) is None
    assert repr(value) == before


@pytest.mark.spec("H-SCH-10")
@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"street": 3}, "'street' must be a string, not a number"),
        ({"street": ""}, "'street' must have at least 1 character"),
        ({"number": "1"}, "'number' must be an integer, not a string"),
        ({"number": True}, "'number' must be an integer, not a boolean"),
        ({"number": 0}, "'number' must be at least 1"),
        ({"tags": ["home", "away"]}, "'tags.1' must be 'home' or 'work' or 3 or null"),
        ({"tags": ["home", "work", 3]}, "'tags' must have at most 2 items"),
        ({"tags": [3, 3]}, "'tags' must not have an item twice"),
        ({"at": 3}, "'at' must be a string or must be an object"),
        ({"at": {}}, "'at' must be a string or must have 'x'"),
        ({"at": {"x": "1"}}, "'at.x' must be a number, not a string"),
        ({"kind": "house"}, "'kind' must be 'address'"),
        ({"note": "A"}, "'note' must match the pattern '^[a-z]+$'"),
        ({"note": []}, "'note' must be a string or null, not an array"),
        ({"rest": {"x-a": 1, "y": 2}}, "'rest.y' is unknown; known are: none"),
        ({"streat": "s"}, "'streat' is unknown; known are: street, number, tags, at, kind, note, rest"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_one_line_that_names_the_field(changed: dict[str, Any], line: str):
    assert JsonSchema(ADDRESS).check({"street": "s"} | changed) == line


def test_of_many_faults_three_are_told_each_field_once():
    value = {"number": 0.5, "tags": [1], "kind": 1, "note": 1}
    assert JsonSchema(ADDRESS).check(value) == (
        "'number' must be an integer, not a number; 'tags.0' must be 'home' or 'work' or 3 or null; "
        "'kind' must be 'address'; and 2 more"
    )


@pytest.mark.parametrize(
    ("schema", "value", "line"),
    [
        ({"type": "object"}, [], "the whole must be an object, not an array"),
        ({"minProperties": 1}, {}, "the whole must have at least 1 field"),
        ({"maxProperties": 0}, {"a": 1}, "the whole must have at most 0 fields"),
        ({"exclusiveMinimum": 0.5}, 0.5, "the whole must be greater than 0.5"),
        ({"exclusiveMaximum": 3}, 3, "the whole must be less than 3"),
        ({"multipleOf": 2}, 3, "the whole must be a multiple of 2"),
        ({"maximum": 2}, 3, "the whole must be at most 2"),
        ({"minItems": 1}, [], "the whole must have at least 1 item"),
        ({"maxLength": 1}, "ab", "the whole must have at most 1 character"),
        ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, 3, "the whole is refused: 3 is valid under each of"),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b", "c"]}]}, {}, "the whole must have 'a' or must have 'b' and 'c'"),
        ({"anyOf": [{"additionalProperties": False}]}, {"a": 1, "b": 2}, "the whole must be without 'a' and 'b'"),
        ({"not": {"type": "string"}}, "a", "the whole is refused: 'a' should not be valid under"),
        ({"contains": {"type": "string"}}, [1], "the whole is refused: [1] does not contain items"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "the whole is refused: 'b' is a dependency of 'a'"),
        ({"properties": {"a": False}}, {"a": "x" * 999}, "the whole is refused: False schema does not allow 'xxx"),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, "the whole must have at most 1 character"),
        ({"$ref": "#"}, 1, "the whole could not be checked: it nests too deeply, or its schema leads back to itself"),
        ({"multipleOf": 0.1}, 0.35, "the whole must be a multiple of 0.1"),
    ],
    ids=str,
)  # fmt: skip
def test_each_keyword_has_its_words(schema: dict[str, Any], value: Any, line: str):
    said = JsonSchema(schema).check(value)
    assert said is not None
    assert said.startswith(line)
    assert len(said) < 320
    assert "\n" not in said


@pytest.mark.spec("P-SCH-02")
def test_nothing_is_converted_and_no_default_is_filled_in():
    schema = JsonSchema(
        {"type": "object", "properties": {"n": {"type": "integer", "default": 3}, "s": {"default": "x"}}}
    )
    value: dict[str, Any] = {}
    assert schema.check(value) is None
    assert value == {}
    assert schema.check({"n": "3"}) == "'n' must be an integer, not a string"


def test_a_format_is_a_note():
    assert JsonSchema({"format": "date"}).check("tomorrow") is None


@pytest.mark.parametrize("version", ["draft-04", "draft-06", "draft-07"])
def test_older_versions_are_read_as_they_say(version: str):
    schema = {"$schema": f"http://json-schema.org/{version}/schema#", "items": [{"type": "string"}]}
    assert JsonSchema(schema).check([1]) == "'0' must be a string, not a number"


CIRCLE: dict[str, Any] = {}
CIRCLE["not"] = CIRCLE


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        ({"properties": {"a": {"type": "strin"}}}, "'properties.a.type' must be 'array' or "),
        ({"properties": {"a": {"maxLength": "40"}}}, "'properties.a.maxLength' must be an integer, not a string"),
        ({"required": "a"}, "'required' must be an array, not a string"),
        ({"properties": {"a": 3}}, "'properties.a' must be an object or a boolean, not a number"),
        ({"properties": {"a": {"pattern": "("}}}, "'properties.a.pattern' must be a valid regex, not '('"),
        ({"patternProperties": {"(": {}}}, "'patternProperties' must be a valid regex, not '('"),
        ({"$ref": "#/$defs/gone"}, "the $ref '#/$defs/gone' leads to nothing in it"),
        ({"items": {"anyOf": [{"$ref": "#gone"}]}}, "the $ref '#gone' leads to nothing in it"),
        ({"properties": {"$ref": {"$ref": "http://127.0.0.1:9/x"}}}, "the $ref 'http://127.0.0.1:9/x' leads to nothing in it"),
        ({"$schema": "https://example.org/mine"}, "its $schema is no version that is known, 'https://example.org/mine'"),
        ({"$schema": "http://json-schema.org/draft-03/schema#"}, "its $schema is no version that is known, "),
        ({"$schema": 3}, "its $schema is no version that is known, 3"),
        ({"properties": {1: {}}}, "'properties' has a key that is no text, 1"),
        ({"enum": [{1}]}, "'enum.0' is no JSON value, {1}"),
        ({"minimum": float("nan")}, "'minimum' is no JSON value, nan"),
        (CIRCLE, "it nests too deeply"),
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_schema_is_refused_with_the_place(schema: dict[str, Any], line: str):
    with pytest.raises(ConfigurationError) as caught:
        JsonSchema(schema)
    assert str(caught.value).startswith(f"the JSON Schema is wrong: {line}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("wrong", ["{}", None, 3, [("type", "object")]])
def test_what_is_no_dict_is_no_schema(wrong: Any):
    with pytest.raises(ConfigurationError, match="a JSON Schema must be a dict, not a value of type "):
        JsonSchema(wrong)


def test_references_inside_of_the_schema_are_followed():
    tree = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["children"],
    }
    assert JsonSchema(tree).check({"children": [{"children": []}]}) is None
    assert JsonSchema(tree).check({"children": [{}]}) == "'children.0.children' is missing"
    with_id = {"$id": "https://example.org/x", "$defs": {"a": {"$anchor": "here", "type": "string"}}, "$ref": "#here"}
    assert JsonSchema(with_id).check(3) == "the whole must be a string, not a number"
    assert JsonSchema({"default": {"$ref": "#/no-schema"}, "const": {"$ref": "x"}}).check({"$ref": "x"}) is None


def test_the_owner_cannot_change_a_schema_afterwards():
    mine = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = JsonSchema(mine)
    cast(Any, mine)["properties"]["a"]["type"] = "integer"
    assert schema.check({"a": "text"}) is None
    assert schema.schema["properties"]["a"] == {"type": "string"}


def test_jsonschema_is_loaded_with_the_first_schema_and_not_before():
    code = (
        "import sys, xun.toolbox.toolbox, xun.toolbox.json_schema as module\n"
        "assert 'jsonschema' not in sys.modules\nmodule.JsonSchema({})\nassert 'jsonschema' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("wanted", "value"), [(0.1, 0.3), (0.1, 10**400), (0.01, 1e300), (0.5, -2), (2, 4.0), (1e-300, 1)]
)
def test_multiples_are_told_as_they_are_written(wanted: float, value: float):
    assert JsonSchema({"multipleOf": wanted}).check(value) is None
