"""What tests tell the front, beside what moto itself knows."""

from dataclasses import dataclass, field
from threading import RLock
from typing import Any


@dataclass
class State:
    # Pools without capacity: {capacityType, instanceType, zone, remaining}; a missing key fits all, `remaining` counts down.
    ice: list[dict[str, Any]] = field(default_factory=list)
    # Families that nobody sells: {family}.
    not_sold: list[dict[str, Any]] = field(default_factory=list)
    # Errors to answer with: {service, action, code, message, status, times}.
    faults: list[dict[str, Any]] = field(default_factory=list)
    capacity_reservations: list[dict[str, Any]] = field(default_factory=list)
    placement_groups: list[dict[str, Any]] = field(default_factory=list)
    # In the form of DescribeInstanceStatus.
    instance_statuses: list[dict[str, Any]] = field(default_factory=list)
    zonal_shifts: list[dict[str, Any]] = field(default_factory=list)
    # Answers by the client's token, so that a request that comes twice launches once.
    fleets: dict[str, Any] = field(default_factory=dict)
    journal: list[dict[str, Any]] = field(default_factory=list)


LOCK = RLock()
STATE = State()


def reset() -> None:
    from moto.moto_api._internal.models import moto_api_backend

    with LOCK:
        moto_api_backend.reset()
        STATE.__dict__.update(State().__dict__)
