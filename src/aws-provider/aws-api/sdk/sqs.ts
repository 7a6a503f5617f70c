import { DeleteMessageCommand, GetQueueUrlCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SqsApi } from '../apis.ts';
import { type ServiceDeps, serviceCalls } from './service-calls.ts';

/** SQS, over the SDK. */
export function connectSqs(deps: ServiceDeps): SqsApi {
  const call = serviceCalls(SQSClient, deps);
  return {
    getQueueUrl: call(GetQueueUrlCommand),
    receiveMessage: call(ReceiveMessageCommand),
    deleteMessage: call(DeleteMessageCommand),
  };
}
