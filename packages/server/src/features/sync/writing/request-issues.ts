import type { Connector } from '@mortise/providers'
import type { Issue } from '../../../kernel/http/index.ts'
import { headerIssues } from './forwarded-headers.ts'
import { batchMax, type WriteRequest } from './model.ts'

const issue = (name: string, detail: string, remedy?: string, context?: Record<string, unknown>): Issue => ({
  in: 'body',
  name,
  detail,
  ...(remedy !== undefined && { remedy }),
  ...(context !== undefined && { context }),
})

/** What of a request does not fit together, whatever the provider (contract 6.5). */
export function requestIssues(body: WriteRequest): Issue[] {
  const { type, mode, record, batch, associations, headers = [], autoBatchPolicy } = body
  const issues: Issue[] = []
  if ((record === undefined) === (batch === undefined))
    issues.push(issue('record', 'Exactly one of record and batch is needed.', 'Send one of the two.'))
  if (type === 'delete' && batch !== undefined)
    issues.push(issue('batch', 'Records are deleted one at a time.', 'Send one record for each request.'))
  if (autoBatchPolicy !== undefined && (mode !== 'asynchronous' || type === 'delete' || batch !== undefined))
    issues.push(
      issue(
        'autoBatchPolicy',
        'Only asynchronous writes of single records can be batched, and no deletes.',
        'Leave it out.',
      ),
    )
  if (associations !== undefined && batch !== undefined)
    issues.push(
      issue('associations', 'In a batch, each record has separate associations.', 'Move them into the batch.'),
    )
  for (const [name, { record }] of recordsOf(body)) {
    if (type !== 'create' && idOf(record) === undefined)
      issues.push(
        issue(
          `${name}.id`,
          `${name}.id is required: the provider’s id of the record.`,
          'Send it as text or as a whole number.',
        ),
      )
  }
  return [...issues, ...headerIssues(headers)]
}

/** What of a request this connector cannot do. */
export function connectorIssues(
  connector: Connector,
  objectName: string,
  provider: string,
  body: WriteRequest,
): Issue[] {
  const { type, mode, batch, batchPolicy, associations, headers, autoBatchPolicy } = body
  if (!connector.canWrite(objectName, type))
    return [
      {
        in: 'path',
        name: 'objectName',
        value: objectName,
        detail: `The connector for ${provider} cannot ${type} ${objectName}.`,
        remedy: 'Describe it in the provider file.',
      },
    ]
  const issues: Issue[] = []
  const size = type === 'delete' ? undefined : connector.batchSizeMax(objectName, type)
  const name = batch === undefined ? 'autoBatchPolicy' : 'batch'
  if (type !== 'delete' && (batch ?? autoBatchPolicy) !== undefined && size === undefined)
    issues.push(
      issue(
        name,
        `The provider ${provider} does not support batches to ${type} ${objectName}.`,
        'Send single records.',
        {
          batchSizeMax: 1,
        },
      ),
    )
  if (batch !== undefined && batchPolicy?.allOrNone && size !== undefined && batch.length > size)
    issues.push(
      issue(
        'batch',
        `The provider accepts ${size} records in one batch. A larger batch cannot be written all or none.`,
        `Send at most ${size} records, or without allOrNone.`,
        { batchSizeMax: size },
      ),
    )
  const isByJob = mode === 'asynchronous' && type !== 'delete' && connector.writeJob(objectName, type) !== undefined
  if (batch !== undefined && batch.length > batchMax && !isByJob)
    issues.push(
      issue(
        'batch',
        `This write takes at most ${batchMax} records. Only asynchronous writes that the provider can do by a job take more.`,
        `Send at most ${batchMax} records in one request.`,
      ),
    )
  const isLinked = associations !== undefined || batch?.some((item) => item.associations !== undefined)
  if (isLinked && (type !== 'create' || !connector.takesAssociations(objectName)))
    issues.push(
      issue(
        'associations',
        type === 'create'
          ? `The provider ${provider} does not support associations with new ${objectName}.`
          : 'Associations are made when a record is created.',
        'Leave them out.',
      ),
    )
  if (headers !== undefined && headers.length > 0 && !connector.takesHeaders(objectName))
    issues.push(issue('headers', `No headers are passed on to ${provider}.`, 'Leave them out.'))
  return issues
}

/** The records of a request, each by the name that it has there. */
export function recordsOf({
  record,
  batch = [],
  associations,
}: WriteRequest): [name: string, { record: Record<string, unknown>; associations?: Record<string, unknown>[] }][] {
  if (record !== undefined) return [['record', { record, ...(associations && { associations }) }]]
  return batch.map((item, at) => [`batch[${at}].record`, item])
}

/** The provider's id in a record; undefined when there is none that could be one. */
export function idOf(record: Record<string, unknown>): string | undefined {
  const id = Object.hasOwn(record, 'id') ? record['id'] : undefined
  if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : undefined
  return typeof id === 'string' && id.trim() !== '' && id.length <= 512 ? id : undefined
}
