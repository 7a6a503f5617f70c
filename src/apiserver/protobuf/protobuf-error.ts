/** What identifies the object in a message, once its envelope is read. */
export interface MessageType {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A body that is no Kubernetes protobuf message. `type` is known if the envelope was fine and its content wasn't. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
  readonly type: MessageType | undefined;

  constructor(message: string, type?: MessageType) {
    super(message);
    this.type = type;
  }
}
