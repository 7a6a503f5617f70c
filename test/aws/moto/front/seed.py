"""An account that a cluster could run in."""

import json
from typing import Any

import boto3
from moto.moto_api._internal import mock_random

ACCOUNT = "123456789012"
ROLE_POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
    ],
}
PATTERNS = {
    "spot": {"source": ["aws.ec2"], "detail-type": ["EC2 Spot Instance Interruption Warning"]},
    "rebalance": {"source": ["aws.ec2"], "detail-type": ["EC2 Instance Rebalance Recommendation"]},
    "state": {"source": ["aws.ec2"], "detail-type": ["EC2 Instance State-change Notification"]},
    "health": {"source": ["aws.health"], "detail-type": ["AWS Health Event"]},
    "reservation": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Capacity Reservation Instance Interruption Warning"],
    },
}


def seed(endpoint: str, cluster: str, region: str, version: str, clusterEndpoint: str) -> dict[str, Any]:
    def client(service: str) -> Any:
        return boto3.client(
            service, endpoint_url=endpoint, region_name=region, aws_access_key_id="seed", aws_secret_access_key="seed"
        )

    # The same account gets the same names, whoever works in it.
    mock_random.seed(42)
    network = make_network(client("ec2"), cluster, region)
    iam = client("iam")
    role = f"KarpenterNodeRole-{cluster}"
    iam.create_role(RoleName=role, AssumeRolePolicyDocument=json.dumps(ROLE_POLICY))
    make_cluster(client("eks"), cluster, version, network, clusterEndpoint)
    queue = client("sqs").create_queue(QueueName=cluster)["QueueUrl"]
    events = client("events")
    for name, pattern in PATTERNS.items():
        rule = f"{cluster}-{name}"
        events.put_rule(Name=rule, EventPattern=json.dumps(pattern))
        target = f"arn:aws:sqs:{region}:{ACCOUNT}:{cluster}"
        events.put_targets(Rule=rule, Targets=[{"Id": "queue", "Arn": target}])
    return {**network, "role": role, "queue": queue, "account": ACCOUNT}


def make_network(ec2: Any, cluster: str, region: str) -> dict[str, Any]:
    tags = [{"Key": "karpenter.sh/discovery", "Value": cluster}]

    def tagged(kind: str, *more: dict[str, str]) -> list[dict[str, Any]]:
        return [{"ResourceType": kind, "Tags": [*tags, *more]}]

    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=tagged("vpc"))["Vpc"]["VpcId"]
    subnets = []
    for index, zone in enumerate("abcd"):
        name = {"Key": "Name", "Value": f"private-{zone}"}
        made = ec2.create_subnet(
            VpcId=vpc,
            CidrBlock=f"10.0.{index * 32}.0/19",
            AvailabilityZone=f"{region}{zone}",
            TagSpecifications=tagged("subnet", name),
        )
        subnets.append({key: made["Subnet"][key] for key in ("SubnetId", "AvailabilityZone", "AvailabilityZoneId")})
    groups = [
        ec2.create_security_group(
            GroupName=name, Description=name, VpcId=vpc, TagSpecifications=tagged("security-group")
        )["GroupId"]
        for name in ("cluster", "nodes")
    ]
    return {"vpc": vpc, "subnets": subnets, "securityGroups": groups}


def make_cluster(eks: Any, cluster: str, version: str, network: dict[str, Any], endpoint: str) -> None:
    from moto.eks.models import eks_backends

    eks.create_cluster(
        name=cluster,
        version=version,
        roleArn=f"arn:aws:iam::{ACCOUNT}:role/cluster",
        resourcesVpcConfig={"subnetIds": [subnet["SubnetId"] for subnet in network["subnets"]]},
        kubernetesNetworkConfig={"serviceIpv4Cidr": "10.100.0.0/16"},
    )
    eks_backends[ACCOUNT][eks.meta.region_name].clusters[cluster].endpoint = endpoint
