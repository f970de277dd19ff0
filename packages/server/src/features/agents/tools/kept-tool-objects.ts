import type { AgentAction, AgentObject, ToolSchema } from '@mortise/manifest'
import type { ProviderRecord } from '@mortise/providers'
import type { InstallationRecord } from '../../integrations/installations/index.ts'
import type { ObjectMetadata } from '../../provider-calls/object-metadata/index.ts'
import { fixedFields } from './record-filters.ts'
import { recordShower, type ShownRecord } from './shown-record.ts'
import { type ToolField, type ToolObject, toolFields, toolObject } from './tool-fields.ts'
import { argumentsSchema } from './tool-schema.ts'

/** What agents see of an object, compiled. */
export interface ObjectView {
  fields: readonly ToolField[]
  /** Returns the schema of the arguments of an action. */
  schemaOf(action: AgentAction, options: { recordsMax: number }): ToolSchema
  show(record: ProviderRecord): ShownRecord
}

const objects = new WeakMap<InstallationRecord, Map<AgentObject, ToolObject>>()

/** Returns `toolObject`, compiled once for as long as the installation is kept. */
export function keptToolObject(installation: InstallationRecord, object: AgentObject): ToolObject {
  const kept = objects.get(installation) ?? new Map<AgentObject, ToolObject>()
  objects.set(installation, kept)
  const target = kept.get(object) ?? toolObject(installation, object)
  kept.set(object, target)
  return target
}

/** Stands for an object that is not described. */
const undescribed = {}
const views = new WeakMap<ToolObject, WeakMap<object, ObjectView>>()

/** Returns the view of an object, compiled once for as long as its description by the provider is kept. */
export function keptView(target: ToolObject, described: ObjectMetadata | undefined): ObjectView {
  const kept = views.get(target) ?? new WeakMap<object, ObjectView>()
  views.set(target, kept)
  const view = kept.get(described ?? undescribed) ?? createView(target, described)
  kept.set(described ?? undescribed, view)
  return view
}

function createView(target: ToolObject, described: ObjectMetadata | undefined): ObjectView {
  const fields = toolFields(target, described, fixedFields(target))
  const schemas = new Map<string, ToolSchema>()
  return {
    fields,
    schemaOf(action, { recordsMax }) {
      const key = `${action} ${recordsMax}`
      const schema = schemas.get(key) ?? argumentsSchema(action, fields, { recordsMax })
      schemas.set(key, schema)
      return schema
    },
    show: recordShower(target, fields),
  }
}
