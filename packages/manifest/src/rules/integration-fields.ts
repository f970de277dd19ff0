import { parseBracketPath } from '../bracket-path.ts'
import { type Fields, readFields } from '../fields.ts'
import type { IntegrationField } from '../manifest.ts'
import { present } from '../present.ts'
import { quote } from '../source/located.ts'
import type { Scope } from './scope.ts'

const FIELD_KEYS = ['fieldName', 'mapToName', 'mapToDisplayName', 'default', 'prompt']

interface FieldLists {
  requiredFields: IntegrationField[] | undefined
  optionalFields: IntegrationField[] | undefined
}

/**
 * `requiredFields` and `optionalFields` of a read object.
 * @param isAlways whether the object is read for every installation without asking
 */
export function readIntegrationFields({ report }: Scope, object: Fields, isAlways: boolean): FieldLists {
  const targets = new Set<string>()

  const readField = (fields: Fields, isRequired: boolean): IntegrationField => {
    const fieldName = fields.text('fieldName')
    const mapToName = fields.text('mapToName')
    const mapToDisplayName = fields.text('mapToDisplayName')

    if (mapToName !== undefined && targets.has(mapToName)) {
      report('duplicate-map-to-name', fields.at('mapToName'), {
        message: `Two fields of this object map to ${quote(mapToName)}: one of them would be lost.`,
        suggestion: 'Give each its own `mapToName`.',
        value: mapToName,
      })
    } else if (mapToName !== undefined) targets.add(mapToName)

    if (fieldName === undefined) {
      if (fields.isBlank('fieldName') && fields.isBlank('mapToName')) {
        report('field-existent-name-required', fields.place, {
          message: 'The field has neither `fieldName` nor `mapToName`.',
          suggestion: 'Name a field of the provider (`fieldName`), or one that users map (`mapToName`).',
        })
      }
      const asked = { default: fields.text('default'), prompt: fields.text('prompt') }
      return present({ mapToName: mapToName ?? '', mapToDisplayName, ...asked })
    }

    if (fieldName.startsWith('$')) checkPath(fields, fieldName)
    if (isAlways && isRequired && mapToName !== undefined) {
      report('always-enabled-no-maptoname', fields.at('mapToName'), {
        message: 'A required field of an object with `enabled: always` cannot be mapped.',
        suggestion: 'Remove `mapToName`, or `enabled: always`.',
        value: mapToName,
      })
    }
    for (const key of ['default', 'prompt']) {
      if (!fields.has(key)) continue
      report('unknown-key', fields.at(key), {
        message: `\`${key}\` has no effect with \`fieldName\`: users do not choose the field.`,
        suggestion: `Remove \`${key}\`, or remove \`fieldName\` so that users map the field.`,
      })
    }
    return present({ fieldName, mapToName, mapToDisplayName })
  }

  const checkPath = (fields: Fields, fieldName: string): void => {
    const segments = parseBracketPath(fieldName)
    if (segments === undefined) {
      report('field-path', fields.at('fieldName'), {
        message: `${quote(fieldName)} looks like a nested field, but is not in bracket form; it is taken as a plain name.`,
        suggestion: "Write nested fields as `$['address']['city']`.",
        value: fieldName,
      })
    } else if (segments.includes('__proto__')) {
      report('yaml-forbidden-key', fields.at('fieldName'), {
        message: '"__proto__" cannot be part of a field name.',
        suggestion: 'Remove the field.',
      })
    }
  }

  const readList = (key: 'requiredFields' | 'optionalFields'): IntegrationField[] | undefined =>
    object.list(key)?.items.flatMap((item) => {
      const fields = readFields(report, item, FIELD_KEYS)
      return fields ? [readField(fields, key === 'requiredFields')] : []
    })

  return { requiredFields: readList('requiredFields'), optionalFields: readList('optionalFields') }
}
