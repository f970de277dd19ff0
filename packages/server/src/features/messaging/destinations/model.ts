import { type Static, Type } from 'typebox'
import { Enum, type Issue, named, secret, Timestamp } from '../../../kernel/http/index.ts'
import { destinationKinds } from '../kinds/index.ts'
import { settingNames, settingsDocs } from './settings-docs.ts'

const namePattern = /^[A-Za-z0-9-]{1,128}$/

/**
 * Returns the issues of a destination's name. Not part of the schema, so that one response also lists the issues of the
 * metadata.
 */
export function nameIssues(name: string, at: string): Issue[] {
  if (namePattern.test(name)) return []
  return [{ in: 'body', name: at, value: name, detail: `${at} must be 1 to 128 letters, digits and dashes.` }]
}

/** Returns the issue of a type that is none of this release. */
export function typeIssue(type: string, at: string): Issue {
  const types = destinationKinds.map(({ name }) => name).join(' or ')
  return {
    in: 'body',
    name: at,
    value: type,
    detail: `${at} must be ${types}.`,
    remedy: 'Use type webhook with the URL of your endpoint, or another type of this release.',
  }
}

const secretKinds = destinationKinds.map(({ name, secretProperties = {} }) => ({ name, properties: secretProperties }))

/** Each kind parses its own settings, so that all errors are returned together. */
const MetadataInput = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Where and how to deliver, by the type of the destination.',
  properties: settingsDocs(destinationKinds, { withTypes: false }),
})

/** Of the kinds that have any. Not in any answer. */
const SecretsInput = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Credentials, by the type of the destination. They are stored encrypted, and no response has them.',
  properties: settingsDocs(secretKinds, { withTypes: false }),
})

const typesText = `One of ${destinationKinds.map(({ name }) => `\`${name}\``).join(', ')}.`

/** Paths of an update mask. */
const maskPaths = [
  'name',
  'type',
  'metadata',
  ...settingNames(destinationKinds).map((name) => `metadata.${name}`),
  'secrets',
  ...settingNames(secretKinds).map((name) => `secrets.${name}`),
]

const time = (description: string) => Type.Optional(Type.Unsafe<string | Date>({ ...Timestamp, description }))

export const Destination = named(
  'Destination',
  Type.Object({
    id: Type.String({ description: 'Id of the destination.' }),
    name: Type.String({ description: 'Name that manifests use; unique in the project.' }),
    type: Type.String({ description: typesText }),
    metadata: Type.Unsafe<object>({
      type: 'object',
      description: 'Where and how to deliver. Secrets are `***`; use `includeSecrets` to see them.',
      properties: settingsDocs(destinationKinds, { withTypes: true }),
    }),
    endpoint: Type.String({
      description: 'Where messages go, for people: one line without secrets. An extension.',
    }),
    status: Enum(['active', 'failing', 'disabled'], {
      description:
        '`failing`: its last attempts failed, and Mortise keeps trying. `disabled`: nothing is sent, and its messages are queued until it is enabled. An extension.',
    }),
    disabledReason: Type.Optional(
      Type.String({ description: 'Why it was disabled, in a sentence. Absent while it is enabled. An extension.' }),
    ),
    disabledTime: time('When it was disabled. An extension.'),
    firstFailureTime: time(
      'Since when every attempt has failed; after five days it is disabled. Absent when the last one succeeded. An extension.',
    ),
    failureCount: Type.Optional(
      Type.Integer({
        description: 'Attempts that failed one after the other; absent when the last one succeeded. An extension.',
      }),
    ),
    nextProbeTime: time(
      'After ten failures in a row: when one message finds out whether it is back; the others wait. An extension.',
    ),
    deadLetterCount: Type.Optional(
      Type.Integer({
        description:
          'Dead letters: messages and records that it did not accept. At most 1,000 are counted. Absent if there are none. An extension.',
      }),
    ),
    resendTime: time('When its newest resend began. Absent if it had none. An extension.'),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)
export type Destination = Static<typeof Destination>

export const DestinationWithSecrets = named(
  'DestinationWithSecrets',
  Type.Object({
    ...Destination.properties,
    secrets: Type.Optional(
      Type.Object(
        {
          webhookSigningKey: Type.Optional(
            secret(Type.String({ description: 'Secret that signs messages: `whsec_` and base64.' })),
          ),
        },
        { description: 'Only with `includeSecrets`.' },
      ),
    ),
  }),
)

export const NewDestination = named(
  'NewDestination',
  Type.Object({
    name: Type.String({ description: '1 to 128 letters, digits and dashes; unique in the project.' }),
    type: Type.String({ description: typesText }),
    metadata: MetadataInput,
    secrets: secret(Type.Optional(SecretsInput)),
  }),
)

export const DestinationUpdate = named(
  'DestinationUpdate',
  Type.Object({
    updateMask: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 100,
      description: `What to change: ${maskPaths.map((path) => `\`${path}\``).join(', ')}.`,
    }),
    destination: Type.Object(
      {
        name: Type.Optional(Type.String({ description: 'The new name: letters, digits and dashes.' })),
        type: Type.Optional(
          Type.String({
            description: `The new type, with \`metadata\` and \`secrets\` as a whole, all three in the mask. ${typesText}`,
          }),
        ),
        metadata: Type.Optional(MetadataInput),
        secrets: secret(Type.Optional(SecretsInput)),
      },
      { description: 'The new values of what the mask lists; anything else in it is ignored.' },
    ),
  }),
)
export type DestinationUpdate = Static<typeof DestinationUpdate>
