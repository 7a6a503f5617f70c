"""Instance profiles by path, and the texts that EC2's controller reads."""

from typing import Any

from moto.core.responses import ActionResult
from moto.iam.exceptions import NotFoundException
from moto.iam.models import IAMBackend
from moto.iam.responses import IamResponse


def list_instance_profiles(self: Any) -> ActionResult:
    prefix = self._get_param("PathPrefix") or "/"
    profiles = [profile for profile in self.backend.get_instance_profiles() if profile.path.startswith(prefix)]
    return ActionResult({"InstanceProfiles": profiles, "IsTruncated": False})


def get_role(self: Any, role_name: str) -> Any:
    for role in self.get_roles():
        if role.name == role_name:
            return role
    raise NotFoundException(f"The role with name {role_name} cannot be found.")


def install() -> None:
    IamResponse.list_instance_profiles = list_instance_profiles
    IAMBackend.get_role = get_role
