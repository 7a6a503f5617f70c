# The policy documents of roles and queue. No provider is needed for them, so that they can be looked at without an account.

variable "scope" {
  description = "What the controller's policies are scoped to."
  type = object({
    partition     = string
    region        = string
    account_id    = string
    cluster_name  = string
    node_role_arn = string
    queue_arn     = string
  })
}

variable "on_eks" {
  description = "Whether the control plane is one of EKS: its policies are left out otherwise."
  type        = bool
}

variable "trust" {
  description = "Who may take the controller's role."
  type = object({
    by                = string
    dns_suffix        = string
    oidc_provider_arn = string
    namespace         = string
    service_account   = string
  })
}

locals {
  folder = "${path.module}/../../policies"
  of_eks = toset(["eks-integration", "zonal-shift"])
  all    = toset([for file in fileset(local.folder, "*.json") : trimsuffix(file, ".json")])
  names  = var.on_eks ? local.all : setsubtract(local.all, local.of_eks)
  issuer = try(split(":oidc-provider/", var.trust.oidc_provider_arn)[1], "")

  trust = {
    pod-identity = jsonencode({
      Effect    = "Allow"
      Principal = { Service = "pods.eks.amazonaws.com" }
      Action    = ["sts:AssumeRole", "sts:TagSession"]
    })
    ec2 = jsonencode({
      Effect    = "Allow"
      Principal = { Service = "ec2.${var.trust.dns_suffix}" }
      Action    = ["sts:AssumeRole"]
    })
    oidc = jsonencode({
      Effect    = "Allow"
      Principal = { Federated = var.trust.oidc_provider_arn }
      Action    = ["sts:AssumeRoleWithWebIdentity"]
      Condition = {
        StringEquals = {
          "${local.issuer}:aud" = "sts.amazonaws.com"
          "${local.issuer}:sub" = "system:serviceaccount:${var.trust.namespace}:${var.trust.service_account}"
        }
      }
    })
  }
}

output "names" {
  description = "Names of the controller's policies, known before what they are scoped to."
  value       = local.names
}

output "policies" {
  description = "The controller's policies, by name."
  value = {
    for name in local.names : name => jsonencode(jsondecode(templatefile("${local.folder}/${name}.json", var.scope)))
  }
}

output "controller_trust" {
  description = "Who may take the controller's role."
  value       = jsonencode({ Version = "2012-10-17", Statement = [jsondecode(local.trust[var.trust.by])] })
}

output "node_trust" {
  description = "Machines may take the role of nodes."
  value       = jsonencode({ Version = "2012-10-17", Statement = [jsondecode(local.trust["ec2"])] })
}

output "queue" {
  description = "AWS may put events into the queue, and nobody may use it without TLS."
  value = jsonencode({
    Version = "2012-10-17"
    Id      = "EC2InterruptionPolicy"
    Statement = [
      {
        Sid       = "AllowEvents"
        Effect    = "Allow"
        Principal = { Service = ["events.amazonaws.com", "sqs.amazonaws.com"] }
        Action    = "sqs:SendMessage"
        Resource  = var.scope.queue_arn
      },
      {
        Sid       = "DenyWithoutTLS"
        Effect    = "Deny"
        Principal = "*"
        Action    = "sqs:*"
        Resource  = var.scope.queue_arn
        Condition = { Bool = { "aws:SecureTransport" = "false" } }
      },
    ]
  })
}
