"""What moto's EC2 leaves out."""

from base64 import b64decode
from datetime import UTC, datetime
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError, InvalidInstanceIdError
from moto.ec2.models.instance_types import InstanceTypeOfferingBackend
from moto.ec2.responses import EC2Response
from moto.ec2.responses.instances import InstanceResponse
from moto.ec2.responses.launch_templates import LaunchTemplates
from moto.ec2.responses.tags import TagResponse

from state import STATE

Row = dict[str, Any]
USER_DATA_BYTES = 16384


def matches(row: Row, filters: dict[str, list[str]], fields: dict[str, str]) -> bool:
    tags = {tag["Key"]: tag["Value"] for tag in row.get("Tags", [])}
    for name, values in filters.items():
        if name == "tag-key":
            fits = any(value in tags for value in values)
        elif name.startswith("tag:"):
            fits = tags.get(name[4:]) in values
        else:
            fits = str(row.get(fields[name])) in values
        if not fits:
            return False
    return True


def describe_capacity_reservations(self: Any) -> ActionResult:
    ids = self._get_param("CapacityReservationIds", [])
    fields = {"state": "State", "owner-id": "OwnerId", "instance-match-criteria": "InstanceMatchCriteria"}
    filters = self._filters_from_querystring()
    rows = [row for row in STATE.capacity_reservations if not ids or row["CapacityReservationId"] in ids]
    return ActionResult({"CapacityReservations": [times(row) for row in rows if matches(row, filters, fields)]})


def times(row: Row) -> Row:
    moments = {key: datetime.fromisoformat(row[key]) for key in ("StartDate", "EndDate", "CreateDate") if row.get(key)}
    return {**row, **moments}


def describe_placement_groups(self: Any) -> ActionResult:
    ids = self._get_param("GroupIds", [])
    names = self._get_param("GroupNames", [])
    filters = self._filters_from_querystring()
    fields = {"group-name": "GroupName", "state": "State", "strategy": "Strategy"}
    rows = [
        row
        for row in STATE.placement_groups
        if (not ids or row["GroupId"] in ids) and (not names or row["GroupName"] in names)
    ]
    return ActionResult({"PlacementGroups": [row for row in rows if matches(row, filters, fields)]})


def describe_instance_status(self: Any) -> ActionResult:
    filters = self._filters_from_querystring()
    return ActionResult({"InstanceStatuses": [dated(row) for row in STATE.instance_statuses if status_fits(row, filters)]})


def status_fits(row: Row, filters: dict[str, list[str]]) -> bool:
    values = {
        "instance-status.status": [row.get("InstanceStatus", {}).get("Status")],
        "system-status.status": [row.get("SystemStatus", {}).get("Status")],
        "event.code": [event.get("Code") for event in row.get("Events", [])],
    }
    return all(set(values.get(name, [])) & set(wanted) for name, wanted in filters.items())


def dated(value: Any) -> Any:
    if isinstance(value, list):
        return [dated(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    moments = ("ImpairedSince", "NotBefore", "NotAfter", "NotBeforeDeadline")
    return {
        key: datetime.fromisoformat(entry).astimezone(UTC) if key in moments else dated(entry)
        for key, entry in value.items()
    }


def install() -> None:
    offerings = InstanceTypeOfferingBackend.describe_instance_type_offerings

    def what_is_sold(self: Any, *args: Any, **options: Any) -> list[Row]:
        families = {row["family"] for row in STATE.not_sold}
        return [row for row in offerings(self, *args, **options) if row["InstanceType"].split(".")[0] not in families]

    InstanceTypeOfferingBackend.describe_instance_type_offerings = what_is_sold
    EC2Response.describe_capacity_reservations = describe_capacity_reservations
    EC2Response.describe_placement_groups = describe_placement_groups
    InstanceResponse.describe_instance_status = describe_instance_status
    describe_instance_types = InstanceResponse.describe_instance_types
    create_tags = TagResponse.create_tags

    def dry_run_first(self: Any) -> ActionResult:
        self.error_on_dryrun()
        return describe_instance_types(self)

    def of_instances_there_are(self: Any) -> ActionResult:
        there = {instance.id for instance in self.ec2_backend.all_instances()}
        missing = [id for id in self._get_param("Resources", []) if id.startswith("i-") and id not in there]
        if missing:
            raise InvalidInstanceIdError(missing)
        return create_tags(self)

    create_launch_template = LaunchTemplates.create_launch_template

    def with_user_data_in_bounds(self: Any) -> ActionResult:
        data = (self._get_param("LaunchTemplateData") or {}).get("UserData") or ""
        if len(b64decode(data)) > USER_DATA_BYTES:
            raise EC2ClientError("InvalidUserData.Malformed", f"User data is limited to {USER_DATA_BYTES} bytes")
        return create_launch_template(self)

    InstanceResponse.describe_instance_types = dry_run_first
    LaunchTemplates.create_launch_template = with_user_data_in_bounds
    TagResponse.create_tags = of_instances_there_are
