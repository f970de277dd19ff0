import type { ChoiceFields, ChoiceParts } from '../../catalogue/format/field-sources.ts'
import { compilePath, scalarText } from '../path.ts'
import { scopeOf, textOf } from '../request.ts'
import { parseTemplate, render } from '../template.ts'

export type Choice = { value: string; displayValue: string }

/** What the records of a `choices` source say: the choices of each field, by its name. */
export function compileChoices(source: ChoiceFields): (records: readonly unknown[]) => Map<string, Choice[]> {
  const fields = Object.entries(source.fields ?? {}).map(([name, parts]) => ({ name, read: compileParts(parts) }))
  const { byField } = source
  const named = byField === undefined ? undefined : { name: compilePath(byField.name), read: compileParts(byField) }
  return (records) => {
    const found = new Map(fields.map(({ name, read }) => [name, records.flatMap(read)]))
    for (const record of named === undefined ? [] : records) {
      const name = scalarText(named?.name(record))
      if (name !== undefined) found.set(name, [...(found.get(name) ?? []), ...(named?.read(record) ?? [])])
    }
    return found
  }
}

/** The choices of one record. */
function compileParts({ each, value, label }: ChoiceParts): (record: unknown) => Choice[] {
  const items = each === undefined ? undefined : compilePath(each)
  const texts = { value: parseTemplate(value), displayValue: parseTemplate(label) }
  const choiceOf = (item: unknown, parent: unknown): Choice[] => {
    const variables = textOf(scopeOf({ ...(item as object), parent }))
    const choice = { value: render(texts.value, variables), displayValue: render(texts.displayValue, variables) }
    return choice.value === undefined
      ? []
      : [{ value: choice.value, displayValue: choice.displayValue ?? choice.value }]
  }
  return (record) => {
    if (items === undefined) return choiceOf(record, undefined)
    const list = items(record)
    return Array.isArray(list) ? list.flatMap((item: unknown) => choiceOf(item, record)) : []
  }
}
