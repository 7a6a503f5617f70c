"""CreateFleet as EC2 does it: the override is chosen, pools can be empty, and instances get all of their template."""

from types import SimpleNamespace
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.responses.fleets import Fleets
from moto.ec2.utils import convert_tag_spec, random_fleet_id

import prices
from state import LOCK, STATE

NO_CAPACITY = "InsufficientInstanceCapacity"
NO_RESERVED_CAPACITY = "ReservationCapacityExceeded"
TEXTS = {
    NO_CAPACITY: "We currently do not have sufficient capacity in the Availability Zone you requested.",
    NO_RESERVED_CAPACITY: "The requested reservation does not have sufficient compatible and available capacity.",
    "InvalidSubnetID.NotFound": "The subnet ID does not exist.",
}


def create_fleet(self: Fleets) -> ActionResult:
    self.error_on_dryrun()
    token = self._get_param("ClientToken")
    with LOCK:
        if token not in STATE.fleets:
            answer = launch(self.ec2_backend, self.params)
            if not token:
                return ActionResult(answer)
            STATE.fleets[token] = answer
        return ActionResult(STATE.fleets[token])


def launch(backend: Any, request: dict[str, Any]) -> dict[str, Any]:
    target = request["TargetCapacitySpecification"]
    capacity_type = target.get("DefaultTargetCapacityType", "on-demand")
    wanted = int(target["TotalTargetCapacity"])
    fleet_id = random_fleet_id()
    launched: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    for candidate in candidates(backend, request, capacity_type):
        ids: list[str] = []
        while wanted > 0:
            refusal = refused(candidate, capacity_type)
            if refusal:
                errors.append({**described(candidate, capacity_type), "ErrorCode": refusal, "ErrorMessage": TEXTS[refusal]})
                break
            ids.append(run(backend, request, candidate, capacity_type, fleet_id))
            wanted -= 1
        if ids:
            kind = candidate.override.get("InstanceType") or candidate.data.get("InstanceType")
            launched.append({**described(candidate, capacity_type), "InstanceIds": ids, "InstanceType": kind})
        if wanted == 0:
            break
    return {"FleetId": fleet_id, "Instances": launched, "Errors": errors}


def candidates(backend: Any, request: dict[str, Any], capacity_type: str) -> list[Any]:
    found = []
    for config in request["LaunchTemplateConfigs"]:
        named = config["LaunchTemplateSpecification"]
        template = (
            backend.get_launch_template(named["LaunchTemplateId"])
            if "LaunchTemplateId" in named
            else backend.get_launch_template_by_name(named["LaunchTemplateName"])
        )
        data = template.get_version(template.latest_version_number).data
        specification = {**named, "LaunchTemplateId": template.id}
        for override in config.get("Overrides") or [{}]:
            subnet = backend.subnets_by_id(override.get("SubnetId"))
            zone = subnet.availability_zone if subnet else override.get("AvailabilityZone", "")
            found.append(
                SimpleNamespace(
                    data=data, specification=specification, override=override, subnet=subnet, zone=zone
                )
            )
    options = request.get("SpotOptions" if capacity_type == "spot" else "OnDemandOptions") or {}
    return sorted(found, key=order(options.get("AllocationStrategy", "lowest-price"), capacity_type))


def order(strategy: str, capacity_type: str) -> Any:
    def by(candidate: Any) -> tuple[float, float, str, str]:
        kind = candidate.override.get("InstanceType", "")
        price = prices.spot(kind, candidate.zone) if capacity_type == "spot" else prices.on_demand(kind)
        priority = float(candidate.override.get("Priority") or 0)
        best = (priority, price) if "prioritized" in strategy else (price, priority)
        # The order in which the request names them decides nothing.
        return (*best, kind, candidate.zone)

    return by


def reservation_of(data: dict[str, Any]) -> str | None:
    target = (data.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    return target.get("CapacityReservationId")


def refused(candidate: Any, capacity_type: str) -> str | None:
    if not candidate.subnet:
        return "InvalidSubnetID.NotFound"
    kind = candidate.override.get("InstanceType")
    reserved = reservation_of(candidate.data)
    if reserved:
        for reservation in STATE.capacity_reservations:
            if reservation["CapacityReservationId"] == reserved and reservation["InstanceType"] == kind:
                if reservation["AvailableInstanceCount"] > 0 and reservation["AvailabilityZone"] == candidate.zone:
                    reservation["AvailableInstanceCount"] -= 1
                    return None
        return NO_RESERVED_CAPACITY
    for pool in STATE.ice:
        here = {"capacityType": capacity_type, "instanceType": kind, "zone": candidate.zone}
        if all(pool.get(key, value) == value for key, value in here.items()):
            if pool.get("remaining", 0) <= 0:
                return NO_CAPACITY
            pool["remaining"] -= 1
    return None


def described(candidate: Any, capacity_type: str) -> dict[str, Any]:
    chosen = {**candidate.override, "AvailabilityZone": candidate.zone}
    return {
        "Lifecycle": "spot" if capacity_type == "spot" else "on-demand",
        "LaunchTemplateAndOverrides": {
            "LaunchTemplateSpecification": candidate.specification,
            "Overrides": chosen,
        },
    }


def run(backend: Any, request: dict[str, Any], candidate: Any, capacity_type: str, fleet_id: str) -> str:
    data = candidate.data
    interfaces = data.get("NetworkInterfaces") or []
    groups = data.get("SecurityGroupIds") or (interfaces[0].get("Groups", []) if interfaces else [])
    tags = convert_tag_spec(data.get("TagSpecifications") or [])
    asked = convert_tag_spec(request.get("TagSpecifications") or [])
    tags["instance"] = {**tags.get("instance", {}), **asked.get("instance", {})}
    tags["instance"]["aws:ec2:fleet-id"] = fleet_id
    tags["instance"]["aws:ec2launchtemplate:id"] = candidate.specification["LaunchTemplateId"]
    reservation = backend.run_instances(
        image_id=candidate.override.get("ImageId") or data.get("ImageId"),
        count=1,
        user_data=data.get("UserData"),
        security_group_names=[],
        security_group_ids=list(groups),
        instance_type=candidate.override.get("InstanceType") or data.get("InstanceType"),
        is_instance_type_default=False,
        region_name=backend.region_name,
        subnet_id=candidate.override.get("SubnetId"),
        metadata_options=data.get("MetadataOptions") or {},
        monitoring_state="enabled" if (data.get("Monitoring") or {}).get("Enabled") else "disabled",
        lifecycle="spot" if capacity_type == "spot" else None,
        tags=tags,
    )
    instance = reservation.instances[0]
    finish(instance, candidate, interfaces)
    if capacity_type == "spot":
        instance.spot_instance_request_id = f"sir-{instance.id[2:10]}"
    return instance.id


def finish(instance: Any, candidate: Any, interfaces: list[dict[str, Any]]) -> None:
    data = candidate.data
    profile = data.get("IamInstanceProfile") or {}
    if profile.get("Name"):
        arn = f"arn:aws:iam::{instance.owner_id}:instance-profile/{profile['Name']}"
        instance.iam_instance_profile = {"Arn": arn, "Id": "AIPA"}
    reserved = reservation_of(data)
    if reserved:
        instance.capacity_reservation_id = reserved
        instance.capacity_reservation_specification = {
            "CapacityReservationPreference": "capacity-reservations-only",
            "CapacityReservationTarget": {"CapacityReservationId": reserved},
        }
    placement = data.get("Placement") or {}
    zone_id = getattr(candidate.subnet, "_availability_zone", None)
    instance.placement.availability_zone_id = zone_id.zone_id if zone_id else None
    instance.placement.tenancy = placement.get("Tenancy", "default")
    if placement.get("GroupName") or placement.get("GroupId"):
        instance.placement.group_name = placement.get("GroupName", "")
        instance.placement.group_id = placement.get("GroupId")
        instance.placement.partition_number = placement.get("PartitionNumber") or partition(placement)
    for interface in interfaces:
        nic = instance.nics.get(int(interface.get("DeviceIndex") or 0))
        if nic is not None:
            nic.interface_type = interface.get("InterfaceType", "interface")


def partition(placement: dict[str, Any]) -> int | None:
    for group in STATE.placement_groups:
        if group.get("GroupId") == placement.get("GroupId") or group["GroupName"] == placement.get("GroupName"):
            return 1 if group["Strategy"] == "partition" else None
    return None


def install() -> None:
    from moto.ec2.models import EC2Backend

    def subnets_by_id(self: Any, subnet_id: str | None) -> Any:
        for by_id in self.subnets.values():
            if subnet_id in by_id:
                return by_id[subnet_id]
        return None

    EC2Backend.subnets_by_id = subnets_by_id
    Fleets.create_fleet = create_fleet
