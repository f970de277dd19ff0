import type { IntegrationContent } from '@mortise/manifest'
import type { Catalogue } from '@mortise/providers'
import type { Config } from '../../../config.ts'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type Confinement, type Issue, UnacceptableInput } from '../../../kernel/http/index.ts'
import { findConnection } from '../../accounts/connections/index.ts'
import { assertImplemented } from './capability.ts'
import { type ConfigContent, normalizeContent } from './content.ts'
import { type EffectiveReadObject, effectiveReadObjects } from './effective.ts'
import { assertProvider } from './fitting-connection.ts'
import { refused } from './problems.ts'
import { readRules } from './read-rules.ts'
import { contentIssues, undeclaredIssue } from './validate-content.ts'

/** An object with a config that is not stored, as an installation with that config would read it. */
export interface PlannedRead {
  object: EffectiveReadObject
  connectionId: string
  module: string | undefined
}

/** What a request wants to read. */
export interface ReadPlan {
  connectionId: string
  /** The provider's name of the object. */
  objectName: string
  content: ConfigContent
}

/**
 * Validates a config as for a new installation, and returns how it would read one object.
 *
 * @param confinedTo limits the connections to those of the caller's group
 * @throws InvalidInput, UnacceptableInput with all issues
 * @throws CapabilityNotImplemented
 */
export async function planRead(
  db: ProjectDb,
  services: { config: Config; catalogue: Catalogue },
  integration: IntegrationContent,
  { connectionId, objectName, content: input }: ReadPlan,
  confinedTo: Confinement | undefined,
): Promise<PlannedRead> {
  const content = normalizeContent(input)
  const reads = effectiveReadObjects({ integration, content })
  const object = reads.get(objectName)
  const issues = [
    ...objectIssue(integration, objectName, object),
    ...contentIssues(integration, content, readRules(services, integration), { at: 'content' }),
  ]
  const ofConnection = { in: 'body', name: 'connectionId', value: connectionId } as const
  const connection = await findConnection(db, connectionId, confinedTo)
  // A caller for one group must not learn whether another group has it.
  if (!connection)
    throw refused(
      { ...ofConnection, detail: 'There is no connection of this id.', remedy: 'List the connections of the group.' },
      ...issues,
    )
  assertProvider(connection, integration.provider, ofConnection, issues)
  if (!object || issues.length > 0) throw new UnacceptableInput({ issues })
  assertImplemented(services.catalogue.find(integration.provider), integration, { content, reads })
  return { object, connectionId: connection.connection_id, module: integration.module }
}

function objectIssue(
  integration: IntegrationContent,
  objectName: string,
  object: EffectiveReadObject | undefined,
): Issue[] {
  if (object) return []
  const unread = { detail: 'The config does not read this object.', remedy: 'Add it to `content.read.objects`.' }
  const issue = undeclaredIssue(integration, 'read', objectName) ?? unread
  return [{ in: 'body', name: 'objectName', value: objectName, ...issue }]
}
