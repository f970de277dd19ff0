export type { TrackRecords } from './ledger.ts'
export {
  type Answer,
  type ReceivedRequest,
  startWebhookReceiver,
  type WebhookReceiver,
  type WebhookReceiverCounters,
  type WebhookReceiverOptions,
} from './start-webhook-receiver.ts'
export type { Secret } from './verifier.ts'
