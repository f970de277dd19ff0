import { problem } from '../../kernel/http/index.ts'

export const SubscriptionNotFound = problem({
  code: 'subscription-not-found',
  status: 404,
  title: 'Nobody listens here',
  detail: 'No installation subscribes to events at this URL.',
  remedy: 'End the subscription at the provider, or send its events to the URL of an installation that subscribes.',
  retryable: false,
  subsystem: 'subscribing',
})

export const EventUnverified = problem({
  code: 'event-unverified',
  status: 401,
  title: 'The event is not known to come from the provider',
  detail: 'The signature is missing, wrong, or too old.',
  remedy:
    'Check that the signing secret of the provider app, or the public key of the connection, is that of the provider, that the provider calls the URL that it was given, and that clocks are right.',
  retryable: false,
  subsystem: 'subscribing',
})

export const EventMalformed = problem({
  code: 'event-malformed',
  status: 400,
  title: 'The events cannot be read',
  detail: 'The body is signed as it has to be, but is no JSON.',
  remedy: 'Have the provider send events as JSON, at most 5,000 in one body.',
  retryable: false,
  subsystem: 'subscribing',
})

export const InboundBusy = problem({
  code: 'inbound-busy',
  status: 503,
  title: 'Too many events at once',
  detail: 'More events are coming than can be stored right now.',
  remedy: 'Send the event again in a few seconds, as providers do.',
  retryable: true,
  subsystem: 'subscribing',
})
