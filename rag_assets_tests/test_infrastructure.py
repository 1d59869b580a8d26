import itertools
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml

from rag_assets.corpus.variants import VARIANTS
from rag_assets.s3.locations import Target
from rag_assets.settings import load_settings
from rag_assets.transformation import configuration
from rag_assets.transformation.package import (
    ARCHITECTURES,
    DEFAULT_ARCHITECTURE,
    DEFAULT_PYTHON,
    HANDLER,
    PYTHONS,
    write_zip,
)

REPOSITORY = Path(__file__).parents[1]
TEMPLATE = REPOSITORY / "infrastructure/template.yaml"

LOGICAL = {
    "as_is": "AsIs",
    "raw": "Raw",
    "prepared_900": "Prepared900",
    "prepared_400": "Prepared400",
    "prepared_400_dict": "Prepared400Dict",
}
"""The beginning of the names of a variant's resources."""
GONE = object()
"""What AWS::NoValue leaves."""


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML with CloudFormation's tags as the functions that they are short for."""


def _function(loader: _Loader, tag: str, node: yaml.Node) -> dict[str, Any]:
    name = tag if tag in ("Ref", "Condition") else f"Fn::{tag}"
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
        return {name: value.split(".", 1) if tag == "GetAtt" else value}
    built: Any = loader.construct_sequence(node, deep=True)
    return {name: built}


_Loader.add_multi_constructor("!", _function)


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(TEMPLATE.read_text(), _Loader)
    return loaded


class Rendering:
    """The template as CloudFormation would fill it in; IDs and ARNs are told by the names of the resources.

    Args:
        template: As it is loaded.
        made: What CloudFormation gives back of resources, by `Name` or `Name.Attribute`, where the name will not do.
        parameters: Those that are not left at their defaults.
    """

    def __init__(
        self, template: Mapping[str, Any], made: Mapping[str, str] = MappingProxyType({}), /, **parameters: str
    ) -> None:
        self._template = template
        self._given_back = made
        self._values = {
            **{name: str(told["Default"]) for name, told in template["Parameters"].items()},
            **parameters,
            "AWS::Region": "ap-northeast-1",
            "AWS::AccountId": "123456789012",
            "AWS::Partition": "aws",
            "AWS::StackName": "rag-assets",
        }

    def condition(self, name: str) -> bool:
        return name == "Always" or bool(self.of(self._template["Conditions"][name]))

    def of(self, value: Any) -> Any:
        """A value with its functions carried out."""
        match value:
            case {"Ref": "AWS::NoValue"}:
                return GONE
            case {"Ref": str(name)}:
                return self._reference(name)
            case {"Fn::GetAtt": [name, attribute]}:
                return self._attribute(name, attribute)
            case {"Fn::Sub": str(text)}:
                return re.sub(r"\$\{([^}]+)\}", lambda found: self._named(found[1]), text)
            case {"Fn::Join": [between, parts]}:
                return between.join(self.of(parts))
            case {"Fn::If": [name, then, otherwise]}:
                return self.of(then if self.condition(name) else otherwise)
            case {"Fn::Equals": [one, other]}:
                return self.of(one) == self.of(other)
            case {"Fn::Not": [one]}:
                return not self.of(one)
            case dict():
                filled = {key: self.of(each) for key, each in value.items()}
                return {key: each for key, each in filled.items() if each is not GONE}
            case list():
                return [filled for each in value if (filled := self.of(each)) is not GONE]
            case _:
                return value

    def _named(self, name: str) -> str:
        resource, dot, attribute = name.partition(".")
        return self._attribute(resource, attribute) if dot else self._reference(name)

    def _reference(self, name: str) -> str:
        return self._values[name] if name in self._values else self._told(self._made(name))

    def _attribute(self, name: str, attribute: str) -> str:
        return self._told(f"{self._made(name)}.{attribute}")

    def _told(self, name: str) -> str:
        return self._given_back.get(name, f"<{name}>")

    def _made(self, name: str) -> str:
        condition = self._template["Resources"][name].get("Condition")
        assert condition is None or self.condition(condition), f"{name} is used where it is not made"
        return name

    def resources(self, kind: str) -> dict[str, Any]:
        """Properties of all resources of a type that are made, by name."""
        return {
            name: self.of(told["Properties"])
            for name, told in self._template["Resources"].items()
            if told["Type"] == kind and ("Condition" not in told or self.condition(told["Condition"]))
        }

    def output(self, name: str) -> Any:
        return self.of(self._template["Outputs"][name]["Value"])


def everything(template: Mapping[str, Any]) -> Rendering:
    return Rendering(template, TransformationCode="lambda/transformation-1.zip")


def statements(rendering: Rendering) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every statement of every policy, with where it stands."""
    for name, role in rendering.resources("AWS::IAM::Role").items():
        for policy in role["Policies"]:
            yield from ((name, statement) for statement in policy["PolicyDocument"]["Statement"])
    for kind in ("AWS::IAM::RolePolicy", "AWS::IAM::ManagedPolicy", "AWS::S3::BucketPolicy"):
        for name, policy in rendering.resources(kind).items():
            yield from ((name, statement) for statement in policy["PolicyDocument"]["Statement"])


def listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


WRONG = """
Resources:
  Source:
    Type: AWS::Bedrock::DataSource
    Properties: { Name: raw }
"""


def test_cfn_lint_finds_nothing_but_what_is_wrong_elsewhere(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(WRONG)
    program = Path(sys.executable).with_name("cfn-lint")
    regions = ("ap-northeast-1", "us-east-1", "eu-central-1")
    done = subprocess.run(
        [program, TEMPLATE, wrong, "--format", "parseable", "--include-checks", "I", "--regions", *regions],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    found = done.stdout.splitlines()
    # It looked for faults of these resources, in the file that has them.
    assert any("'KnowledgeBaseId' is a required property" in line for line in found), found
    assert [line for line in found if not line.startswith(str(wrong))] == []


def test_each_variant_has_a_knowledge_base_of_its_own(template: dict[str, Any]) -> None:
    rendering = Rendering(template)
    sources = rendering.resources("AWS::Bedrock::DataSource")
    bases = rendering.resources("AWS::Bedrock::KnowledgeBase")
    assert list(LOGICAL) == [variant.name for variant in VARIANTS]
    assert set(sources) == {f"{logical}DataSource" for logical in LOGICAL.values()}
    for variant, logical in LOGICAL.items():
        source = sources[f"{logical}DataSource"]
        assert source["KnowledgeBaseId"] == f"<{logical}KnowledgeBase>"
        assert source["DataSourceConfiguration"]["S3Configuration"]["InclusionPrefixes"] == [f"{variant}/"]
        assert source["DataDeletionPolicy"] == "DELETE"
        index = bases[f"{logical}KnowledgeBase"]["StorageConfiguration"]["S3VectorsConfiguration"]["IndexArn"]
        assert index == f"<{logical}Index.IndexArn>"
    assert len({base["Name"] for base in bases.values()}) == len(VARIANTS)


def test_chunking_is_that_of_the_variant(template: dict[str, Any]) -> None:
    sources = everything(template).resources("AWS::Bedrock::DataSource")
    for variant in VARIANTS:
        source = sources[f"{LOGICAL[variant.name]}DataSource"]
        chunking = source["VectorIngestionConfiguration"]["ChunkingConfiguration"]
        assert chunking.pop("ChunkingStrategy") == variant.chunking
        fixed = {"FixedSizeChunkingConfiguration": {"MaxTokens": 300, "OverlapPercentage": 20}}
        assert chunking == (fixed if variant.chunking == "FIXED_SIZE" else {})
    transformed = sources["TransformedDataSource"]["VectorIngestionConfiguration"]
    assert transformed["ChunkingConfiguration"] == {"ChunkingStrategy": "NONE"}


@pytest.mark.parametrize("chosen", list(itertools.product(("yes", "no"), repeat=5)))
def test_targets_are_json_whatever_is_made(template: dict[str, Any], chosen: tuple[str, ...]) -> None:
    parameters = dict(zip(LOGICAL.values(), chosen, strict=True))
    told = json.loads(Rendering(template, **parameters).output("RagAssetsTargets"))
    assert told == {
        variant: {
            "bucket": "<CorpusBucket>",
            "prefix": f"{variant}/",
            "knowledge_base_id": f"<{logical}KnowledgeBase>",
            "data_source_id": f"<{logical}DataSource.DataSourceId>",
        }
        for variant, logical in LOGICAL.items()
        if parameters[logical] == "yes"
    }


def identifier(kind: str, number: int) -> str:
    """As Bedrock makes them: ten capital letters and digits."""
    return f"{kind}{number:02}ABCDEFGH"[:10]


@pytest.mark.parametrize("code", ["", "lambda/transformation-1.zip"])
@pytest.mark.parametrize("chosen", [chosen for chosen in itertools.product(("yes", "no"), repeat=5) if "yes" in chosen])
def test_the_settings_read_the_targets_whatever_is_made(
    template: dict[str, Any], chosen: tuple[str, ...], code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = "rag-assets-corpusbucket-1a2b3c4d5e6f"
    made = {"CorpusBucket": bucket}
    for number, logical in enumerate(LOGICAL.values()):
        made[f"{logical}KnowledgeBase"] = identifier("KB", number)
        made[f"{logical}DataSource.DataSourceId"] = identifier("DS", number)
    parameters = {**dict(zip(LOGICAL.values(), chosen, strict=True)), "TransformationCode": code}
    rendering = Rendering(template, made, **parameters)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_ASSETS_TARGET", rendering.output("RagAssetsTargets"))
    monkeypatch.setenv("RAG_ASSETS_SEARCH_TYPE", rendering.output("SearchType"))
    monkeypatch.setenv("RAG_ASSETS_AWS_REGION", rendering.output("Region"))
    settings = load_settings()
    assert settings.target == {
        variant: Target(
            bucket=bucket,
            prefix=f"{variant}/",
            knowledge_base_id=identifier("KB", number),
            data_source_id=identifier("DS", number),
        )
        for number, (variant, logical) in enumerate(LOGICAL.items())
        if parameters[logical] == "yes"
    }
    assert (settings.search_type, settings.aws_region) == ("SEMANTIC", "ap-northeast-1")


@pytest.mark.parametrize("code", ["", "lambda/transformation-1.zip"])
def test_every_output_can_be_filled_in(template: dict[str, Any], code: str) -> None:
    rendering = Rendering(template, TransformationCode=code)
    outputs = {
        name: rendering.output(name)
        for name, told in template["Outputs"].items()
        if "Condition" not in told or rendering.condition(told["Condition"])
    }
    assert outputs["Region"] == "ap-northeast-1"
    assert (outputs["VectorStore"], outputs["SearchType"]) == ("S3_VECTORS", "SEMANTIC")
    assert ("TransformedDataSourceId" in outputs) == bool(code)
    for kind in {told["Type"] for told in template["Resources"].values()}:
        rendering.resources(kind)


@pytest.mark.parametrize("code", ["", "lambda/transformation-1.zip"])
def test_policies_allow_no_more_than_they_name(template: dict[str, Any], code: str) -> None:
    for place, statement in statements(Rendering(template, TransformationCode=code)):
        if statement["Effect"] == "Deny":
            assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
            continue
        assert not {"NotAction", "NotResource", "Principal"} & set(statement), place
        for action in listed(statement["Action"]):
            assert "*" not in action, (place, action)
        for resource in listed(statement["Resource"]):
            # Something below one resource of this stack, never a kind of resource of the account.
            assert re.fullmatch(r"<\w+(\.\w+)?>(/[\w/]*\*|:\*)?|arn:aws:bedrock:ap-northeast-1::[\w/.:-]+", resource), (
                place,
                resource,
            )


def test_only_bedrock_for_this_account_may_take_the_role(template: dict[str, Any]) -> None:
    trust = Rendering(template).resources("AWS::IAM::Role")["KnowledgeBaseRole"]["AssumeRolePolicyDocument"]
    assert trust["Statement"] == [
        {
            "Effect": "Allow",
            "Principal": {"Service": "bedrock.amazonaws.com"},
            "Action": "sts:AssumeRole",
            "Condition": {
                "StringEquals": {"aws:SourceAccount": "123456789012"},
                "ArnLike": {"aws:SourceArn": "arn:aws:bedrock:ap-northeast-1:123456789012:knowledge-base/*"},
            },
        }
    ]


def test_buckets_are_encrypted_and_closed(template: dict[str, Any]) -> None:
    buckets = everything(template).resources("AWS::S3::Bucket")
    assert set(buckets) == {"CorpusBucket", "DocumentsBucket", "IntermediateBucket"}
    for bucket in buckets.values():
        assert bucket["BucketEncryption"]
        assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
        assert len(bucket["PublicAccessBlockConfiguration"]) == 4
    refused = everything(template).resources("AWS::S3::BucketPolicy")
    assert {policy["Bucket"] for policy in refused.values()} == {f"<{name}>" for name in buckets}
    assert [name for name, bucket in buckets.items() if "VersioningConfiguration" in bucket] == ["DocumentsBucket"]
    assert buckets["IntermediateBucket"]["LifecycleConfiguration"]["Rules"][0]["ExpirationInDays"] == 7


@pytest.mark.parametrize("code", ["", "lambda/transformation-1.zip"])
def test_the_tear_down_empties_every_bucket_that_goes_with_the_stack(template: dict[str, Any], code: str) -> None:
    rendering = Rendering(template, TransformationCode=code)
    deleted = {
        f"<{name}>"
        for name in rendering.resources("AWS::S3::Bucket")
        if template["Resources"][name]["DeletionPolicy"] == "Delete"
    }
    told = (REPOSITORY / "docs/aws.md").read_text().partition("**Tear down**")[2].partition("delete-stack")[0]
    named = [name for name in re.findall(r"aws s3 rm .*# output (\w+)", told) if name in template["Outputs"]]
    made = [name for name in named if rendering.condition(template["Outputs"][name].get("Condition", "Always"))]
    assert {rendering.output(name) for name in made} == deleted


S3_ACTIONS = {
    "ListObjectsV2": "s3:ListBucket",
    "HeadObject": "s3:GetObject",
    "PutObject": "s3:PutObject",
    "DeleteObjects": "s3:DeleteObject",
}


def called_operations() -> set[str]:
    """Operations of AWS that the project's sync and retrieval call, by their names in the code."""
    import boto3

    session: Any = boto3.session.Session(aws_access_key_id="a", aws_secret_access_key="b", region_name="us-east-1")
    services = ("s3", "bedrock-agent", "bedrock-agent-runtime", "bedrock-runtime")
    names: dict[str, str] = {}
    for service in services:
        client = session.client(service)
        names |= client.meta.method_to_api_mapping
        names |= {operation: operation for operation in client.meta.service_model.operation_names}
    code = "\n".join(
        path.read_text()
        for place in ("s3", "ingestion", "retrieval")
        for path in (REPOSITORY / "rag_assets" / place).glob("*.py")
    )
    methods = {names[found] for found in re.findall(r"\.([a-z_]+)\(", code) if found in names}
    words = {names[found] for found in re.findall(r"[\"']([A-Za-z_0-9]+)[\"']", code) if found in names}
    return methods | words


def test_the_operator_may_do_just_what_the_project_does(template: dict[str, Any]) -> None:
    policy = Rendering(template).resources("AWS::IAM::ManagedPolicy")["OperatorPolicy"]["PolicyDocument"]
    allowed = {action for statement in policy["Statement"] for action in listed(statement["Action"])}
    needed = {S3_ACTIONS.get(operation, f"bedrock:{operation}") for operation in called_operations()}
    assert allowed == needed


def test_the_index_fits_the_embedding_model(template: dict[str, Any]) -> None:
    for model, dimensions in (("amazon.titan-embed-text-v2:0", "256"), ("cohere.embed-multilingual-v3", "1024")):
        rendering = Rendering(template, EmbeddingModel=model, EmbeddingDimensions=dimensions)
        for index in rendering.resources("AWS::S3Vectors::Index").values():
            assert index["Dimension"] == dimensions
            assert index["DataType"] == "float32"
            keys = index["MetadataConfiguration"]["NonFilterableMetadataKeys"]
            assert keys == ["AMAZON_BEDROCK_TEXT", "AMAZON_BEDROCK_METADATA"]
        for base in rendering.resources("AWS::Bedrock::KnowledgeBase").values():
            told = base["KnowledgeBaseConfiguration"]["VectorKnowledgeBaseConfiguration"]
            assert told["EmbeddingModelArn"].endswith(f"::foundation-model/{model}")
            chosen = told.get("EmbeddingModelConfiguration", {}).get("BedrockEmbeddingModelConfiguration", {})
            assert chosen.get("Dimensions") == ("256" if model.startswith("amazon") else None)
    assert "CohereHasOneLength" in template["Rules"]


def test_the_lambda_is_the_one_that_is_packaged(template: dict[str, Any], tmp_path: Path) -> None:
    function = everything(template).resources("AWS::Lambda::Function")["Transformation"]
    assert function["Handler"] == f"{HANDLER}.handler"
    assert function["Runtime"] == f"python{DEFAULT_PYTHON}"
    assert function["Architectures"] == [DEFAULT_ARCHITECTURE]
    assert set(template["Parameters"]["TransformationArchitecture"]["AllowedValues"]) == set(ARCHITECTURES)
    assert tuple(template["Parameters"]["TransformationPython"]["AllowedValues"]) == PYTHONS
    chosen = Rendering(template, TransformationCode="lambda/a.zip", TransformationPython=PYTHONS[-1])
    assert chosen.resources("AWS::Lambda::Function")["Transformation"]["Runtime"] == f"python{PYTHONS[-1]}"
    write_zip(tmp_path / "out.zip", [])
    assert f"{HANDLER.replace('.', '/')}.py" in zipfile.ZipFile(tmp_path / "out.zip").namelist()


def test_the_lambda_is_configured_as_its_code_reads_it(template: dict[str, Any]) -> None:
    function = everything(template).resources("AWS::Lambda::Function")["Transformation"]
    variables = function["Environment"]["Variables"]
    assert set(variables) == {
        configuration.SETTINGS,
        configuration.VARIANT,
        configuration.DICTIONARIES,
        configuration.STORE,
    }
    assert variables[configuration.VARIANT] == configuration.DEFAULT_VARIANT
    prefix = variables[configuration.DICTIONARIES].removeprefix("s3://<DocumentsBucket>/")
    conditions = [
        statement["Condition"]
        for place, statement in statements(everything(template))
        if place == "TransformationRole" and statement["Action"] == "s3:ListBucket"
    ]
    assert conditions == [{"StringLike": {"s3:prefix": f"{prefix}*"}}]


def test_the_function_is_left_out_unless_asked_for(template: dict[str, Any]) -> None:
    rendering = Rendering(template)
    assert not rendering.resources("AWS::Lambda::Function")
    assert set(rendering.resources("AWS::S3::Bucket")) == {"CorpusBucket"}


def test_the_documentation_names_every_parameter_and_output(template: dict[str, Any]) -> None:
    told = (REPOSITORY / "infrastructure/README.md").read_text()
    missing = [name for name in (*template["Parameters"], *template["Outputs"]) if f"`{name}`" not in told]
    assert missing == []
