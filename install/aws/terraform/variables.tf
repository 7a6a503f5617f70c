variable "cluster_name" {
  description = "Name of the cluster, as the controller's option cluster-name has it."
  type        = string

  validation {
    condition     = can(regex("^[0-9A-Za-z][0-9A-Za-z_-]{0,39}$", var.cluster_name))
    error_message = "1 to 40 letters, digits, dashes and underscores, the first a letter or digit."
  }
}

variable "cluster_kind" {
  description = "Whether EKS runs the control plane (eks), or you do (self-managed: kubeadm, Rancher and so on)."
  type        = string
  default     = "eks"

  validation {
    condition     = contains(["eks", "self-managed"], var.cluster_kind)
    error_message = "Either eks or self-managed."
  }
}

variable "controller_trust" {
  description = "How the controller gets its role: pod-identity (EKS), oidc (IAM roles for service accounts), or ec2 (the role of the machine that it runs on)."
  type        = string
  default     = "pod-identity"

  validation {
    condition     = contains(["pod-identity", "oidc", "ec2"], var.controller_trust)
    error_message = "One of pod-identity, oidc and ec2."
  }
}

variable "oidc_provider_arn" {
  description = "For controller_trust oidc: ARN of the account's identity provider of the cluster."
  type        = string
  default     = ""

  validation {
    condition     = var.controller_trust != "oidc" || strcontains(var.oidc_provider_arn, ":oidc-provider/")
    error_message = "controller_trust oidc needs the ARN of an OIDC provider."
  }
}

variable "namespace" {
  description = "Namespace of the controller's service account."
  type        = string
  default     = "karpenter"
}

variable "service_account" {
  description = "Name of the controller's service account."
  type        = string
  default     = "karpenter"
}

variable "node_role_policies" {
  description = "Names of managed policies of AWS for the role of the nodes, beside what images and Systems Manager need."
  type        = list(string)
  default     = null
}

variable "tags" {
  description = "Tags of all that is made."
  type        = map(string)
  default     = {}
}
