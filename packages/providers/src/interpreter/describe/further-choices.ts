import type { FurtherChoices } from '../../catalogue/format/field-sources.ts'
import type { FieldMetadata } from '../../connector.ts'
import { compileListing, fetchAll } from '../listing.ts'
import { compileMatch } from '../match.ts'
import { compilePath, scalarText } from '../path.ts'
import { scopeOf } from '../request.ts'
import type { Variables } from '../template.ts'
import type { Asking } from './asking.ts'
import { takesValues } from './live.ts'

/** Completes a field with choices from a separate request. @throws ProviderError */
export type CompleteField = (field: FieldMetadata, listed: unknown, asking: Asking) => Promise<FieldMetadata>

export function compileFurtherChoices(declared: readonly FurtherChoices[], text: Variables): CompleteField {
  const lists = declared.map(({ when, value, label = value, ...listing }) => ({
    fits: compileMatch(when),
    listing: compileListing(listing, text),
    value: compilePath(value),
    label: compilePath(label),
  }))
  return async (field, listed, { session, base, scope, signal }) => {
    const list = takesValues(field.valueType) && !field.values ? lists.find(({ fits }) => fits(listed)) : undefined
    if (list === undefined) return field
    const items = await fetchAll(session, base, list.listing, scopeOf({ field: listed }, scope), signal)
    const values = items.flatMap((item) => {
      const value = scalarText(list.value(item))
      return value === undefined ? [] : [{ value, displayValue: scalarText(list.label(item)) ?? value }]
    })
    return values.length === 0 ? field : { ...field, values }
  }
}
