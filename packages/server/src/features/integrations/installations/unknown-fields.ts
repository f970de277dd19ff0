import { nearest, parseBracketPath, type ReadObject } from '@mortise/manifest'
import type { ReadConfigObject } from './content.ts'
import type { ObjectIssue } from './object-issue.ts'

/** Maximum number of fields in the remedy; the metadata of the object list all of them. */
const namesShown = 20

/**
 * Returns an issue for each chosen or mapped field that the object does not have. Fields that the manifest names are
 * the builder's choice, and are not checked.
 *
 * @param known names of all fields of the object; undefined if unknown, and any name is accepted
 */
export function unknownFieldIssues(
  { requiredFields = [], optionalFields = [] }: ReadObject,
  { selectedFields = {}, selectedFieldMappings = {}, selectedValueMappings = {} }: ReadConfigObject,
  known: readonly string[] | undefined,
): ObjectIssue[] {
  if (known === undefined) return []
  const declared = [...requiredFields, ...optionalFields].map((field) => field.fieldName ?? field.default ?? '')
  const names = new Set([...known, ...declared].map((name) => rootOf(name).toLowerCase()))
  const chosen = [
    ...Object.entries(selectedFields).map(([name, isSelected]) => ({
      path: ['selectedFields', name],
      name: isSelected ? name : '',
    })),
    ...Object.entries(selectedFieldMappings).map(([to, name]) => ({ path: ['selectedFieldMappings', to], name })),
    ...Object.keys(selectedValueMappings).map((name) => ({ path: ['selectedValueMappings', name], name })),
  ]
  return chosen
    .filter(({ name }) => name !== '' && isName(name) && !names.has(rootOf(name).toLowerCase()))
    .map(({ path, name }) => {
      const meant = nearest(rootOf(name), known)
      const more = known.length > namesShown ? `, and ${known.length - namesShown} more` : ''
      return {
        path,
        value: name,
        detail: `The object has no field ${JSON.stringify(name)}.`,
        remedy:
          meant === undefined
            ? `Use one of its fields: ${known.slice(0, namesShown).join(', ')}${more}.`
            : `Did you mean ${JSON.stringify(meant)}?`,
      }
    })
}

/** Whether to check the name. A malformed path is reported separately. */
function isName(name: string): boolean {
  return !name.startsWith('$[') || parseBracketPath(name) !== undefined
}

/** Returns the field that contains a nested name. */
function rootOf(name: string): string {
  return parseBracketPath(name)?.[0] ?? name
}
