output "controller_role_arn" {
  description = "For the annotation of the service account; a Pod Identity association is made already."
  value       = aws_iam_role.controller.arn
}

output "node_role_name" {
  description = "For spec.role of EC2NodeClasses."
  value       = aws_iam_role.node.name
}

output "node_role_arn" {
  description = "For the cluster's access entry, or its aws-auth map."
  value       = aws_iam_role.node.arn
}

output "node_instance_profile_name" {
  description = "For spec.instanceProfile of EC2NodeClasses, instead of a role."
  value       = aws_iam_instance_profile.node.name
}

output "interruption_queue_name" {
  description = "For the controller's option interruption-queue."
  value       = aws_sqs_queue.interruption.name
}
