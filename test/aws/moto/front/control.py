"""What tests ask of the front itself, under /front."""

import json
from typing import Any

import boto3
from moto.ec2.models import ec2_backends

import images
import seed
from state import LOCK, STATE, reset

LISTS = {
    "ice": "ice",
    "not-sold": "not_sold",
    "faults": "faults",
    "capacity-reservations": "capacity_reservations",
    "placement-groups": "placement_groups",
    "instance-status": "instance_statuses",
    "zonal-shifts": "zonal_shifts",
}


def handle(method: str, name: str, query: dict[str, str], body: Any, endpoint: str) -> Any:
    if name == "journal":
        with LOCK:
            return STATE.journal[int(query.get("since", 0)) :]
    if name == "reset":
        reset()
        return {}
    if name == "seed":
        return seed.seed(endpoint, **body)
    if name == "event":
        return client("events", endpoint, body.pop("region")).put_events(Entries=[body])
    if name == "instances":
        return [described(instance) for instance in ec2_backends[seed.ACCOUNT][query["region"]].all_instances()]
    if name == "images":
        backend = ec2_backends[seed.ACCOUNT][body["region"]]
        return [images.add(backend, row) for row in body["images"]]
    if name in LISTS:
        with LOCK:
            rows = getattr(STATE, LISTS[name])
            if method == "GET":
                return rows
            rows[:] = body
            return rows
    raise KeyError(name)


def described(instance: Any) -> dict[str, Any]:
    """What only the machine itself is told, too."""
    return {
        "id": instance.id,
        "state": instance.state,
        "type": instance.instance_type,
        "zone": instance.placement.zone,
        "spot": instance.lifecycle == "spot",
        "privateDnsName": instance.private_dns_name,
        "userData": instance.user_data.as_bytes().decode() if instance.user_data else "",
        "tags": {tag["key"]: tag["value"] for tag in instance.get_tags()},
    }


def client(service: str, endpoint: str, region: str) -> Any:
    return boto3.client(
        service, endpoint_url=endpoint, region_name=region, aws_access_key_id="seed", aws_secret_access_key="seed"
    )


def dumps(value: Any) -> bytes:
    return json.dumps(value, default=str).encode()
