"""Prints the CloudFormation template that a SAM template stands for.

    python3 tools/sam/translate.py template.yaml

Does offline what CloudFormation does with the AWS::Serverless transform, so
that a template which only the transform rejects is rejected before a deployment.
"""

import json
import os
import sys

# The translator picks the partition by region; the template names none.
os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")

from samtranslator.parser.parser import Parser
from samtranslator.public.exceptions import InvalidDocumentException
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse


def main(path):
    with open(path, encoding="utf-8") as f:
        template = yaml_parse(f)
    # A template is translated with its packaged code; here it isn't uploaded.
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = "s3://bucket/key"
    try:
        translated = Translator({}, Parser()).translate(template, parameter_values={})
    except InvalidDocumentException as err:
        sys.exit("\n".join([err.message, *(cause.message for cause in err.causes)]))
    json.dump(translated, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: translate.py TEMPLATE")
    main(sys.argv[1])
