import type { Fields } from '../fields.ts'
import type { WriteIntegration, WriteObject } from '../manifest.ts'
import { present } from '../present.ts'
import { readObjects } from './objects.ts'
import type { IntegrationScope } from './scope.ts'

/** The `write` action. */
export function readWrite(scope: IntegrationScope, action: Fields): WriteIntegration {
  return readObjects(scope, action, {
    action: 'write',
    known: ['objectName', 'inheritMapping', 'valueDefaults'],
    missing: 'write-objects-required',
    nameMissing: 'write-object-name-required',
    duplicate: 'duplicate-write-object',
    read: readObject,
  })
}

function readObject(_scope: IntegrationScope, fields: Fields, objectName: string): WriteObject {
  const defaults = fields.map('valueDefaults', ['allowAnyFields'])
  return present({
    objectName,
    inheritMapping: fields.flag('inheritMapping'),
    valueDefaults: defaults && present({ allowAnyFields: defaults.flag('allowAnyFields') }),
  })
}
