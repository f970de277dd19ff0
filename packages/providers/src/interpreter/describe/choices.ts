import type { ChoiceFields } from '../../catalogue/format/field-sources.ts'
import { compilePath } from '../path.ts'
import { scopeOf, textOf } from '../request.ts'
import { parseTemplate, render } from '../template.ts'

export type Choice = { value: string; displayValue: string }

/** The choices that a list of records gives to the fields of a `choices` source, by field name. */
export function compileChoices(source: ChoiceFields): Map<string, (records: readonly unknown[]) => Choice[]> {
  return new Map(
    Object.entries(source.fields).map(([name, { each, value, label }]) => {
      const items = each === undefined ? undefined : compilePath(each)
      const texts = { value: parseTemplate(value), displayValue: parseTemplate(label) }
      const choiceOf = (item: unknown, parent: unknown): Choice[] => {
        const variables = textOf(scopeOf({ ...(item as object), parent }))
        const choice = { value: render(texts.value, variables), displayValue: render(texts.displayValue, variables) }
        return choice.value === undefined
          ? []
          : [{ value: choice.value, displayValue: choice.displayValue ?? choice.value }]
      }
      const read = (records: readonly unknown[]) =>
        records.flatMap((record) => {
          if (items === undefined) return choiceOf(record, undefined)
          const list = items(record)
          return Array.isArray(list) ? list.flatMap((item: unknown) => choiceOf(item, record)) : []
        })
      return [name, read] as const
    }),
  )
}
