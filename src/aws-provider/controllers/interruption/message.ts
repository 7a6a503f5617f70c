/** What a message is about, as in metrics (aws-provider.md section 25). */
export type MessageKind =
  | 'spot_interrupted'
  | 'scheduled_change'
  | 'instance_stopped'
  | 'instance_terminated'
  | 'rebalance_recommendation'
  | 'capacity_reservation_interrupted'
  | 'instance_status'
  | 'system_status'
  | 'event_status'
  | 'no_op';

/** News of instances: from the interruption queue, or from their status. */
export interface InterruptionMessage {
  readonly kind: MessageKind;
  readonly instanceIDs: readonly string[];
  /** Epoch milliseconds at which it was sent; unknown for what is no message of EventBridge. */
  readonly sentAt?: number;
}
