import { problem } from '../../../kernel/http/index.ts'

export const SubscriptionNotFound = problem({
  code: 'subscription-not-found',
  status: 404,
  title: 'Subscription not found',
  detail: 'No installation subscribes to events at this URL.',
  remedy: 'End the subscription at the provider, or send its events to the URL of an installation that subscribes.',
  retryable: false,
  subsystem: 'subscribing',
})

export const EventUnverified = problem({
  code: 'event-unverified',
  status: 401,
  title: 'The signature is not valid',
  detail: 'The signature is missing, wrong, or too old.',
  remedy:
    'Check the secret of the webhook, the signing secret of the provider app or the public key of the connection, the URL that the provider calls, and the clocks.',
  retryable: false,
  subsystem: 'subscribing',
})

export const NoWebhookSetUp = problem({
  code: 'no-webhook-set-up',
  status: 404,
  title: 'No webhook to set up',
  detail: 'Customers set up no webhook for this installation.',
  remedy:
    'Nothing to do: Mortise registers the webhooks, the URL of the app receives them, or the integration does not subscribe.',
  retryable: false,
  subsystem: 'subscribing',
})

export const EventMalformed = problem({
  code: 'event-malformed',
  status: 400,
  title: 'The events cannot be parsed',
  detail: 'The signature is valid, but the body is not JSON, and not a form.',
  remedy: 'Configure the provider to send events as JSON or as forms, at most 5,000 in one body.',
  retryable: false,
  subsystem: 'subscribing',
})

export const CertificateUnavailable = problem({
  code: 'certificate-unavailable',
  status: 503,
  title: 'The certificate cannot be fetched',
  detail: 'The signature cannot be verified now, because the provider does not return the certificate that it names.',
  remedy: 'Send the event again in a minute.',
  retryable: true,
  subsystem: 'subscribing',
})

export const SubscriptionUnconfirmed = problem({
  code: 'subscription-unconfirmed',
  status: 503,
  title: 'The subscription cannot be confirmed',
  detail: 'The provider did not accept the request to the URL that confirms its subscription.',
  remedy: 'Send the request to confirm the subscription again in a minute.',
  retryable: true,
  subsystem: 'subscribing',
})

export const InboundBusy = problem({
  code: 'inbound-busy',
  status: 503,
  title: 'Too many events',
  detail: 'More events arrive than Mortise can store.',
  remedy: 'Send the event again in a few seconds.',
  retryable: true,
  subsystem: 'subscribing',
})
