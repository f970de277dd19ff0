import type { InstallationRecord } from '../../integrations/installations/index.ts'
import type { ProviderCall } from '../../provider-calls/calls/index.ts'
import { argumentFaults, refuseFaults } from './check-arguments.ts'
import { isWrite, type ObjectTool } from './declared-tools.ts'
import { describeToolObjects } from './describe-tool-object.ts'
import { keptToolObject, keptView } from './kept-tool-objects.ts'
import { fetchFitting, getRecord, listRecords, searchRecords } from './read-tools.ts'
import { recordFilters } from './record-filters.ts'
import {
  limitsOf,
  type PreparedCall,
  type ReadyCall,
  type ToolContext,
  type ToolOutcome,
  type ToolRequest,
} from './tool-call.ts'
import { ToolError } from './tool-error.ts'
import { writeRecord } from './write-tools.ts'
import { refusedValues } from './written-values.ts'

/** Checks everything that a call needs, and throws all that is wrong with its arguments together. @throws ToolError */
export async function prepareObjectCall(
  context: ToolContext,
  request: ToolRequest,
  tool: ObjectTool,
  installation: InstallationRecord,
  calls: ProviderCall[],
): Promise<ReadyCall> {
  const { db, services, signal } = context
  const target = keptToolObject(installation, tool.object)
  const { action, objectName } = tool
  if (isWrite(action) ? !target.write : !target.read)
    throw new ToolError({ code: 'not_possible', message: `The user has not allowed to ${action} ${tool.label}.` })
  const limits = limitsOf(tool)
  const filters = recordFilters(target, request)
  const { described, failure } = usesFields(action)
    ? await describeToolObjects(db, services, installation, [objectName], signal)
    : { described: new Map(), failure: undefined }
  if (failure) throw failure
  const { fields, schemaOf, show } = keptView(target, described.get(objectName))
  const schema = schemaOf(action, { recordsMax: limits.recordsPerCall })
  const refused = refusedValues({ tool, target, fields }, request.arguments)
  refuseFaults(argumentFaults(schema, request.arguments, refused))
  const call = { request, tool, target, fields, show, filters, limits, calls }
  return {
    async checkTarget() {
      const { id } = request.arguments as { id?: string }
      if (id !== undefined && filters.length > 0) await fetchFitting(context, call, id)
    },
    run: () => run(context, call),
  }
}

/** Names and types of fields decide which arguments these take. */
function usesFields(action: ObjectTool['action']): boolean {
  return action === 'search' || action === 'create' || action === 'update'
}

function run(context: ToolContext, call: PreparedCall): Promise<ToolOutcome> {
  switch (call.tool.action) {
    case 'search':
      return searchRecords(context, call)
    case 'list':
      return listRecords(context, call)
    case 'get':
      return getRecord(context, call)
    default:
      return writeRecord(context, call)
  }
}
