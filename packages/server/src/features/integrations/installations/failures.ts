import { type Static, Type } from 'typebox'
import { Enum, named, Timestamp } from '../../../kernel/http/index.ts'

/** Why installations fail, the worst first. */
export const failureReasons = [
  'bad_credentials',
  'backfill_failed',
  'reads_paused',
  'subscription_failed',
  'reads_failing',
] as const
export type FailureReason = (typeof failureReasons)[number]

export const FailureReasonSchema = Enum([...failureReasons], {
  description:
    '`bad_credentials`: the provider refuses the credential. `backfill_failed`: a backfill could not end. `reads_paused`: reads are paused after repeated failures. `subscription_failed`: the subscription at the provider could not be set up. `reads_failing`: the last reads failed and are tried again; the installation is still healthy.',
})

const text = (description: string) => Type.String({ description })
const time = (description: string) => Type.Unsafe<string | Date>({ ...Timestamp, description })

export const FailingInstallation = named(
  'FailingInstallation',
  Type.Object(
    {
      installationId: text('Id of the installation.'),
      integrationId: text('Id of its integration.'),
      integrationName: text('Name of its integration.'),
      connectionId: text('Id of its connection.'),
      provider: text('Name of the provider.'),
      groupRef: text('Your id of the group.'),
      groupName: text('Name of the group.'),
      healthStatus: Enum(['healthy', 'unhealthy'], { description: 'Whether the installation works.' }),
      reason: FailureReasonSchema,
      detail: text('Why it fails, in a sentence.'),
      objectName: Type.Optional(text('The provider’s name of the object that fails. Absent if all of them do.')),
      since: time('When it failed. A retry that fails again counts.'),
      lastError: Type.Optional(text('The last error. Absent if there was none to keep.')),
    },
    { description: 'A reason why an installation fails.' },
  ),
)
export type FailingInstallation = Static<typeof FailingInstallation>

export const FailingInstallationPage = named(
  'FailingInstallationPage',
  Type.Object(
    {
      results: Type.Array(FailingInstallation, { description: 'The worst reason first, then the longest failure.' }),
      pagination: Type.Object(
        {
          done: Type.Boolean({ description: 'Whether this page is the last.' }),
          nextPageToken: Type.Optional(text('Pass as `pageToken` for the next page. Absent on the last.')),
        },
        { description: 'How to continue.' },
      ),
    },
    { description: 'A page of reasons why installations fail.' },
  ),
)
