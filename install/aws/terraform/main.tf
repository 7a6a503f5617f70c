terraform {
  required_version = ">= 1.9"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.33"
    }
  }
}

data "aws_partition" "current" {}
data "aws_region" "current" {}
data "aws_caller_identity" "current" {}

locals {
  partition = data.aws_partition.current.partition
  account   = data.aws_caller_identity.current.account_id
  on_eks    = var.cluster_kind == "eks"

  node_role_name = "KarpenterNodeRole-${var.cluster_name}"
}

module "documents" {
  source = "./documents"
  on_eks = local.on_eks

  # Names rather than attributes: the trust of the roles is needed before there are any.
  scope = {
    partition     = local.partition
    region        = data.aws_region.current.name
    account_id    = local.account
    cluster_name  = var.cluster_name
    node_role_arn = "arn:${local.partition}:iam::${local.account}:role/${local.node_role_name}"
    queue_arn     = "arn:${local.partition}:sqs:${data.aws_region.current.name}:${local.account}:${var.cluster_name}"
  }

  trust = {
    by                = var.controller_trust
    dns_suffix        = data.aws_partition.current.dns_suffix
    oidc_provider_arn = var.oidc_provider_arn
    namespace         = var.namespace
    service_account   = var.service_account
  }
}
