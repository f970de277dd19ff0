import { Type } from 'typebox'
import { type GoogleCredentials, googleEndpointProperty, projectRule, readGoogleCredentials } from '../google.ts'
import type { KindServices, Read } from '../kind.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'

export interface PubSubSettings extends GoogleCredentials {
  projectId: string
  topicId: string
  endpointUrl?: string
}

export const properties = {
  projectId: Type.String({ description: 'Id of the project of Google Cloud that has the topic.' }),
  topicId: Type.String({ description: 'Id of the topic, without its project.' }),
  endpointUrl: googleEndpointProperty('Pub/Sub'),
}

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<PubSubSettings> {
  const read = new SettingsReader(input, at)
  const settings = definedSettings<PubSubSettings>({
    projectId: read.text('projectId', projectRule),
    topicId: read.text('topicId', {
      what: 'the id of a topic: 3 to 255 letters, digits and - . _ ~ + %, beginning with a letter',
      pattern: /^[A-Za-z][\w.~+%-]{2,254}$/,
      remedy: 'Give the id of the topic, without projects/…/topics/.',
    }),
    endpointUrl: read.optionalEndpoint(guard, 'Give the endpoint of Pub/Sub.'),
    credentials: readGoogleCredentials(read, guard),
  })
  return { settings, issues: read.issues }
}

export const endpointOf = ({ endpointUrl }: PubSubSettings): URL =>
  new URL(endpointUrl ?? 'https://pubsub.googleapis.com')

/** Its full name. */
export const topicOf = ({ projectId, topicId }: PubSubSettings): string => `projects/${projectId}/topics/${topicId}`
