import { Type } from 'typebox'
import { isId } from '../../../kernel/db/index.ts'
import { InvalidInput, operation, Path, ProjectPath, Ref, reply } from '../../../kernel/http/index.ts'
import { OperationPage } from '../model.ts'
import { OperationInstallationNotFound } from '../problems.ts'
import { hasInstallation, listOperations as listPage } from '../store.ts'

const pageSizeDefault = 200

export const listOperations = operation({
  id: 'listOperations',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/operations',
  access: 'full',
  summary: 'List the operations of an installation.',
  description: 'Newest first.',
  tag: 'Operations',
  params: Path({ ...ProjectPath.properties, integrationId: Ref, installationId: Ref }),
  query: Type.Object({
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: `Operations of one page at most; ${pageSizeDefault} when absent.`,
      }),
    ),
    pageToken: Type.Optional(Type.String({ maxLength: 200, description: '`nextPageToken` of the page before.' })),
  }),
  reply: { 200: OperationPage },
  problems: [OperationInstallationNotFound],
  run: async ({ db, params, query }) => {
    const { pageSize = pageSizeDefault, pageToken } = query
    const before = pageToken === undefined ? undefined : readToken(pageToken)
    const { integrationId, installationId } = params
    if (!isId(installationId) || !(await hasInstallation(db, integrationId, installationId)))
      throw new OperationInstallationNotFound()
    // One more than asked for tells whether another page follows.
    const found = await listPage(db, { installationId, before, limit: pageSize + 1 })
    const results = found.slice(0, pageSize)
    const last = found.length > pageSize ? results.at(-1) : undefined
    return reply(200, {
      results,
      pagination: last ? { done: false, nextPageToken: token(last.id) } : { done: true },
    })
  },
})

/** Where the next page goes on: below the last id of this one, so that new operations move nothing. */
function token(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

function readToken(text: string): string {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== 16 || bytes.toString('base64url') !== text)
    throw new InvalidInput({
      issues: [
        {
          in: 'query',
          name: 'pageToken',
          value: text,
          detail: 'pageToken is not one that this operation gave out.',
          remedy: 'Pass nextPageToken of the page before unchanged, or leave it out to begin with the newest.',
        },
      ],
    })
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
