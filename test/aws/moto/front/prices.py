"""Prices that make sense: by what a type has, the same for everybody who asks, cheaper as spot."""

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES
from moto.ec2.responses.spot_instances import SpotInstances


def share(*of: str) -> float:
    """In [0, 1), by what it is a share of."""
    return int(sha256("/".join(of).encode()).hexdigest()[:8], 16) / 0x100000000


def on_demand(name: str) -> float:
    kind = INSTANCE_TYPES[name]
    cpus = kind["VCpuInfo"]["DefaultVCpus"]
    memory = kind["MemoryInfo"]["SizeInMiB"] / 1024
    gpus = sum(gpu.get("Count", 0) for gpu in kind.get("GpuInfo", {}).get("Gpus", []))
    neurons = sum(n.get("Count", 0) for n in kind.get("NeuronInfo", {}).get("NeuronDevices", []))
    arm = "arm64" in kind["ProcessorInfo"]["SupportedArchitectures"]
    price = (0.031 * cpus + 0.0042 * memory) * (0.8 if arm else 1) + 0.55 * gpus + 0.4 * neurons
    # With so many digits no two types cost the same: which of them comes first would be chance.
    return round(price * (1 + share(name) / 10), 8)


def spot(name: str, zone: str) -> float:
    return round(on_demand(name) * (0.3 + share(name, zone) / 4), 8)


def describe_spot_price_history(self: SpotInstances) -> ActionResult:
    offerings = self.ec2_backend.describe_spot_price_history(
        self._get_param("InstanceTypes", []), self._filters_from_querystring()
    )
    products = self._get_param("ProductDescriptions", []) or ["Linux/UNIX"]
    now = datetime.now(UTC)
    history = [
        {
            "InstanceType": offering["InstanceType"],
            "ProductDescription": products[0],
            "SpotPrice": str(spot(offering["InstanceType"], offering["Location"])),
            "AvailabilityZone": offering["Location"],
            "Timestamp": now,
        }
        for offering in offerings
        if "spot" in INSTANCE_TYPES[offering["InstanceType"]].get("SupportedUsageClasses", [])
    ]
    return ActionResult({"SpotPriceHistory": history})


def get_products(request: dict[str, Any]) -> dict[str, Any]:
    """Of the pricing API, which moto has not."""
    wanted = {f["Field"]: f["Value"] for f in request.get("Filters", [])}
    metal = "bare metal" in wanted.get("productFamily", "")
    region = wanted.get("regionCode", "us-west-2")
    offered = {o["InstanceType"] for o in INSTANCE_TYPE_OFFERINGS["region"].get(region, [])}
    names = [name for name in sorted(offered) if INSTANCE_TYPES[name].get("BareMetal", False) == metal]
    currency = "CNY" if region.startswith("cn-") else "USD"
    return {"FormatVersion": "aws_v1", "PriceList": [product(name, currency) for name in names]}


def product(name: str, currency: str) -> str:
    price = {"pricePerUnit": {currency: str(on_demand(name))}, "unit": "Hrs"}
    term = {"priceDimensions": {f"{name}.dimension": price}}
    return json.dumps(
        {
            "product": {"attributes": {"instanceType": name}},
            "serviceCode": "AmazonEC2",
            "terms": {"OnDemand": {f"{name}.term": term}},
        }
    )


def install() -> None:
    SpotInstances.describe_spot_price_history = describe_spot_price_history
