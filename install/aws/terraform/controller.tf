resource "aws_iam_role" "controller" {
  name               = "${var.cluster_name}-karpenter"
  assume_role_policy = module.documents.controller_trust
  tags               = var.tags
}

resource "aws_iam_policy" "controller" {
  for_each = module.documents.names

  name   = "KarpenterController-${each.key}-${var.cluster_name}"
  policy = module.documents.policies[each.key]
  tags   = var.tags
}

resource "aws_iam_role_policy_attachment" "controller" {
  for_each = aws_iam_policy.controller

  role       = aws_iam_role.controller.name
  policy_arn = each.value.arn
}

resource "aws_eks_pod_identity_association" "controller" {
  count = local.on_eks && var.controller_trust == "pod-identity" ? 1 : 0

  cluster_name    = var.cluster_name
  namespace       = var.namespace
  service_account = var.service_account
  role_arn        = aws_iam_role.controller.arn
  tags            = var.tags
}

# For machines that run the controller under this role.
resource "aws_iam_instance_profile" "controller" {
  count = var.controller_trust == "ec2" ? 1 : 0

  name = "${var.cluster_name}-karpenter"
  role = aws_iam_role.controller.name
  tags = var.tags
}
