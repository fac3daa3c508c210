"""Creates a CloudFormation stack in moto, in this process, and prints what exists.

    python3 tools/sam/stack.py cloudformation.json '{"NoticeSeconds": "30"}'

The second argument has the parameters that are not to be as by default.

moto says CREATE_COMPLETE whatever it made, so what exists is asked of the
services themselves. It makes no API, no routes and no alarms, and drops some
properties of tables and functions.
"""

import ast
import json
import os
import sys

os.environ.update(
    AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_DEFAULT_REGION="eu-west-1",
    MOTO_ALLOW_NONEXISTENT_REGION="true",
)

import boto3
from moto import mock_aws


def functions():
    client = boto3.client("lambda")
    for function in client.list_functions()["Functions"]:
        yield {
            "arn": function["FunctionArn"],
            "name": function["FunctionName"],
            "handler": function["Handler"],
            "runtime": function["Runtime"],
            "memory": function["MemorySize"],
            "timeout": function["Timeout"],
            "role": function["Role"],
            "env": function["Environment"]["Variables"],
        }


def document(policy):
    """A role's policy, which moto keeps as Python would print it."""
    kept = policy["PolicyDocument"]
    return ast.literal_eval(kept) if isinstance(kept, str) else kept


def roles():
    client = boto3.client("iam")
    for role in client.list_roles()["Roles"]:
        inline = client.list_role_policies(RoleName=role["RoleName"])["PolicyNames"]
        yield {
            "arn": role["Arn"],
            "name": role["RoleName"],
            "trust": role["AssumeRolePolicyDocument"],
            "policies": [
                document(client.get_role_policy(RoleName=role["RoleName"], PolicyName=name)) for name in inline
            ],
        }


def policies():
    client = boto3.client("iam")
    for policy in client.list_policies(Scope="Local")["Policies"]:
        version = client.get_policy_version(PolicyArn=policy["Arn"], VersionId=policy["DefaultVersionId"])
        yield {"arn": policy["Arn"], "document": version["PolicyVersion"]["Document"]}


def main(path, parameters):
    with open(path, encoding="utf-8") as f:
        body = f.read()
    with mock_aws():
        boto3.client("s3").create_bucket(
            Bucket="bucket", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
        )
        boto3.client("s3").put_object(Bucket="bucket", Key="key", Body=b"no archive that anybody opens")
        cloudformation = boto3.client("cloudformation")
        cloudformation.create_stack(
            StackName="locks", TemplateBody=body, Capabilities=["CAPABILITY_IAM"],
            Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
        )
        ids = {
            resource["LogicalResourceId"]: resource.get("PhysicalResourceId", "")
            for resource in cloudformation.list_stack_resources(StackName="locks")["StackResourceSummaries"]
        }
        dynamodb = boto3.client("dynamodb")
        exists = {
            "stack": cloudformation.describe_stacks(StackName="locks")["Stacks"][0]["StackStatus"],
            "ids": ids,
            "tables": [
                dynamodb.describe_table(TableName=name)["Table"] for name in dynamodb.list_tables()["TableNames"]
            ],
            "functions": list(functions()),
            "roles": list(roles()),
            "policies": list(policies()),
            "topics": boto3.client("sns").list_topics()["Topics"],
            "logs": boto3.client("logs").describe_log_groups()["logGroups"],
            "rules": boto3.client("events").list_rules()["Rules"],
            "sources": boto3.client("lambda").list_event_source_mappings()["EventSourceMappings"],
        }
    json.dump(exists, sys.stdout, indent=2, default=str)
    print()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: stack.py CLOUDFORMATION PARAMETERS")
    main(sys.argv[1], json.loads(sys.argv[2]))
