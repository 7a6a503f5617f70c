"""AMIs of EKS: made when somebody asks for the parameter that names them, or for them by name."""

import re
from datetime import UTC, datetime
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

from moto.ec2.models import ec2_backends
from moto.ec2.models.amis import Ami
from moto.ssm.models import SimpleSystemManagerBackend

PUBLISHED = re.compile(
    r"^/aws/service/(eks/optimized-ami/|bottlerocket/aws-k8s-|ami-windows-latest/Windows_Server-).*image_id$"
)
RECENT = datetime(2026, 11, 1, tzinfo=UTC)


def image_id(name: str) -> str:
    return f"ami-{sha256(name.encode()).hexdigest()[:17]}"


def add(backend: Any, row: dict[str, Any]) -> str:
    made = row.get("creationDate")
    ami = Ami(
        backend,
        row["id"],
        name=row["name"],
        architecture=row.get("architecture", "x86_64"),
        creation_date=datetime.fromisoformat(made) if made else RECENT,
        owner_id=row.get("ownerID", "602401143452"),
        owner_alias="amazon",
        public=True,
        virtualization_type="hvm",
        hypervisor="xen",
        root_device_type="ebs",
        platform="windows" if "Windows" in row["name"] else None,
        tags=row.get("tags"),
    )
    if row.get("deprecationTime"):
        ami.deprecation_time = row["deprecationTime"]
    backend.amis[row["id"]] = ami
    return row["id"]


def published(parameter: str, account: str, region: str) -> str | None:
    """The AMI that a parameter of AWS names, made if need be."""
    if not PUBLISHED.match(parameter):
        return None
    arm = "arm64" in parameter or "aarch64" in parameter
    identity = image_id(parameter)
    backend = ec2_backends[account][region]
    if identity not in backend.amis:
        name = parameter.removeprefix("/aws/service/").removesuffix("/image_id").replace("/", "-")
        dated = re.search(r"v(\d{4})(\d{2})(\d{2})", parameter)
        made = "-".join(dated.groups()) + "T00:00:00+00:00" if dated else None
        architecture = "arm64" if arm else "x86_64"
        add(backend, {"id": identity, "name": name, "architecture": architecture, "creationDate": made})
    return identity


def install() -> None:
    get_parameter = SimpleSystemManagerBackend.get_parameter

    def known(self: Any, name: str) -> Any:
        found = get_parameter(self, name)
        if found:
            return found
        value = published(name, self.account_id, self.region_name)
        if not value:
            return None
        answer = {"Name": name, "Type": "String", "Value": value, "Version": 1, "DataType": "text"}
        return SimpleNamespace(response_object=lambda *_args, **_more: answer, **{k.lower(): v for k, v in answer.items()})

    SimpleSystemManagerBackend.get_parameter = known
