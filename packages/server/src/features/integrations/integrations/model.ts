import type { IntegrationContent } from '@mortise/manifest'
import { type Static, Type } from 'typebox'
import { Enum, named, Path, Ref, Timestamp } from '../../../kernel/http/index.ts'
import { Content } from './content-schema.ts'

export const Revision = named(
  'Revision',
  Type.Object({
    id: Type.String({ description: 'Id of the revision.' }),
    specVersion: Type.String({ description: 'Version of the manifest format.' }),
    createTime: Timestamp,
    content: Content,
  }),
)

export const Integration = named(
  'Integration',
  Type.Object({
    id: Type.String({ description: 'Id of the integration; stays the same over all revisions.' }),
    projectId: Type.String({ description: 'Id of the project.' }),
    name: Type.String({ description: 'Name, unique in the project; usable in paths instead of the id.' }),
    provider: Type.String({ description: 'The provider that the integration connects to.' }),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
    latestRevision: Revision,
  }),
)
export type Integration = Static<typeof Integration>

/** The source that batchUpsertIntegrations and validateManifest accept: exactly one of the two. */
export const SourceBody = named(
  'IntegrationsSource',
  Type.Object(
    {
      sourceYaml: Type.Optional(Type.String({ description: 'The manifest as YAML, at most 2 MB.' })),
      sourceZipUrl: Type.Optional(
        Type.String({
          maxLength: 8_192,
          description:
            'URL of a zip with the manifest, at most 10 MB: https, or `gs://{bucket}/{path}` of an upload from generateUploadUrl.',
        }),
      ),
    },
    { description: 'Exactly one of the two.' },
  ),
)

export const destructiveQuery = Type.Boolean({
  default: false,
  description: 'Whether destructive actions are performed, such as pausing all reads of an object that was removed.',
})

export const strictQuery = Type.Boolean({
  default: false,
  description: 'Extension: whether advice about what cannot work counts as an error.',
})

export const Finding = named(
  'ManifestFinding',
  Type.Object({
    level: Enum(['error', 'advice'], { description: 'Errors stop a deploy, advice does not.' }),
    rule: Type.String({ description: 'Id of the rule.' }),
    path: Type.String({ description: 'Where in the document, as `$.integrations[0].name`.' }),
    line: Type.Integer({ description: 'Line, counted from 1; 0 where there is none.' }),
    column: Type.Integer({ description: 'Column, counted from 1; 0 where there is none.' }),
    message: Type.String({ description: 'What is wrong.' }),
    suggestion: Type.Optional(Type.String({ description: 'What to do about it.' })),
    value: Type.Optional(Type.Unknown({ description: 'The offending value where it is a plain one.' })),
  }),
)

export const IntegrationPath = Path({ projectIdOrName: Ref, integrationIdOrName: Ref })

/** An integration with its latest revision, as stores return it. */
export interface IntegrationRow {
  id: string
  projectId: string
  name: string
  provider: string
  createTime: Date
  updateTime: Date | null
  revisionId: string
  specVersion: string
  revisionCreateTime: Date
  content: IntegrationContent
}

/** A revision, as stores and responses return it. */
export type RevisionRow = Pick<IntegrationRow, 'specVersion' | 'createTime' | 'content'> & { id: string }

/** Converts a row to the resource in a response. */
export function integrationResource(row: IntegrationRow): Integration {
  return {
    id: row.id,
    projectId: row.projectId,
    name: row.name,
    provider: row.provider,
    createTime: row.createTime,
    ...(row.updateTime && { updateTime: row.updateTime }),
    latestRevision: {
      id: row.revisionId,
      specVersion: row.specVersion,
      createTime: row.revisionCreateTime,
      content: row.content,
    },
  }
}
