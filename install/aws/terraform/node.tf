locals {
  eks_node_policies = local.on_eks ? ["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy"] : []
  node_policies = concat(
    ["AmazonEC2ContainerRegistryPullOnly", "AmazonSSMManagedInstanceCore"],
    var.node_role_policies != null ? var.node_role_policies : local.eks_node_policies,
  )
}

resource "aws_iam_role" "node" {
  name               = local.node_role_name
  assume_role_policy = module.documents.node_trust
  tags               = var.tags
}

resource "aws_iam_role_policy_attachment" "node" {
  for_each = toset(local.node_policies)

  role       = aws_iam_role.node.name
  policy_arn = "arn:${local.partition}:iam::aws:policy/${each.key}"
}

# For node classes that name an instance profile; those that name the role get one made by the controller.
resource "aws_iam_instance_profile" "node" {
  name = "KarpenterNodeInstanceProfile-${var.cluster_name}"
  role = aws_iam_role.node.name
  tags = var.tags
}
