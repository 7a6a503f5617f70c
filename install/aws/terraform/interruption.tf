locals {
  events = {
    health               = ["aws.health", "AWS Health Event"]
    spot-interruption    = ["aws.ec2", "EC2 Spot Instance Interruption Warning"]
    rebalance            = ["aws.ec2", "EC2 Instance Rebalance Recommendation"]
    state-change         = ["aws.ec2", "EC2 Instance State-change Notification"]
    capacity-reservation = ["aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"]
  }
}

resource "aws_sqs_queue" "interruption" {
  name                    = var.cluster_name
  sqs_managed_sse_enabled = true
  tags                    = var.tags

  # Older news of an interruption is of no use: the machine is gone after two minutes.
  message_retention_seconds = 300
}

resource "aws_sqs_queue_policy" "interruption" {
  queue_url = aws_sqs_queue.interruption.url
  policy    = module.documents.queue
}

resource "aws_cloudwatch_event_rule" "interruption" {
  for_each = local.events

  name        = "${var.cluster_name}-${each.key}"
  description = "${each.value[1]}, for Karpenter in ${var.cluster_name}"
  tags        = var.tags

  event_pattern = jsonencode({
    source      = [each.value[0]]
    detail-type = [each.value[1]]
  })
}

resource "aws_cloudwatch_event_target" "interruption" {
  for_each = aws_cloudwatch_event_rule.interruption

  rule      = each.value.name
  target_id = "KarpenterInterruptionQueueTarget"
  arn       = aws_sqs_queue.interruption.arn
}
