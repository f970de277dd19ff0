import { type Static, Type } from 'typebox'
import { Enum, named, Timestamp } from '../../../kernel/http/index.ts'

export const providerEventOutcomes = [
  'accepted',
  'handshake',
  'duplicate',
  'unverified',
  'unknown',
  'malformed',
  'busy',
  'failed',
  'dropped',
] as const
export type ProviderEventOutcome = (typeof providerEventOutcomes)[number]

/** What became of a request of a provider, or of events that it had. */
export interface ReceivedEvents {
  projectId: string
  outcome: ProviderEventOutcome
  /** A public sentence without content of the request. */
  reason?: string | undefined
  provider?: string | undefined
  integrationId?: string | undefined
  installationId?: string | undefined
  objectName?: string | undefined
  eventName?: string | undefined
  requests: number
  events: number
  newEvents: number
  bytes: number
}

const text = (description: string) => Type.Optional(Type.String({ description }))
const count = (description: string) => Type.Integer({ minimum: 0, description })

export const ProviderEvent = named(
  'ProviderEvent',
  Type.Object(
    {
      id: Type.String({ description: 'Id of the entry. Ids of later entries sort later.' }),
      time: { ...Timestamp, description: 'When the request arrived, or when the events were dropped.' },
      outcome: Enum([...providerEventOutcomes], {
        description:
          '`accepted`: the events were stored. `handshake`: the provider checked the URL. `duplicate`: all events were known. `unverified`: the signature is not valid. `unknown`: no installation subscribes to events at this URL. `malformed`: the body cannot be parsed. `busy`: too many events. `failed`: an error of the service. `dropped`: stored events that no installation wants.',
      }),
      reason: text('Why, in a sentence.'),
      provider: text('Name of the provider. Absent if the URL is unknown.'),
      integrationId: text('Id of the integration. Absent if the URL is unknown.'),
      installationId: text('Id of the installation. Absent if the URL receives the events of all accounts of an app.'),
      groupRef: text('Your id of the group. Absent without an installation, and once it is deleted.'),
      objectName: text('The object of the first event.'),
      eventName: text('The provider’s name of the first event.'),
      requests: count('How many requests the entry stands for; 0 for dropped events, whose request has another entry.'),
      events: count('Events in the requests.'),
      newEvents: count('Those that were not known yet.'),
      bytes: count('Size of the bodies.'),
    },
    { description: 'What a provider sent, without its content.' },
  ),
)
export type ProviderEvent = Static<typeof ProviderEvent>

export const ProviderEventPage = named(
  'ProviderEventPage',
  Type.Object({
    results: Type.Array(ProviderEvent, { description: 'Newest first.' }),
    pagination: Type.Object(
      {
        done: Type.Boolean({ description: 'Whether this page is the last. A page that is not may be empty.' }),
        nextPageToken: Type.Optional(
          Type.String({ description: 'Pass as `pageToken` for the next page. Absent on the last.' }),
        ),
      },
      { description: 'How to continue.' },
    ),
  }),
)
