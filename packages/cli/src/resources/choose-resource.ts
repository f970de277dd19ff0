import { Argument } from 'commander'
import type { Command } from '../command.ts'
import { UsageError } from '../usage-error.ts'
import { resources } from './index.ts'
import { type Filter, filters, type Resource, type ResourceCall } from './resource.ts'

type Verb = 'list' | 'get' | 'delete'
type Options = ResourceCall['options']

/** The resources that know a verb. */
export function resourcesWith(verb: Verb): Resource[] {
  return resources.filter((one) => one[verb])
}

/** The argument that names a resource; one or many of it may be written. */
export function resourceArgument(verb: Verb): Argument {
  const known = resourcesWith(verb)
  const names = known.map(({ name }) => name)
  const argument = new Argument('<resource>', `what to ${verb}`).choices(names)
  return argument.argParser((text: string) => {
    const found = known.find(({ name, one }) => text === name || text === one)
    if (found) return found
    const elsewhere = resources.some(({ name, one }) => text === name || text === one)
    throw new UsageError(
      `${elsewhere ? `${text} does not work with ${verb}` : `There is no resource “${text}”`}. Choose one of: ${names.join(', ')}.`,
    )
  })
}

/** Adds the options that any resource takes for a verb. */
export function withFilters(command: Command, verb: Verb): Command {
  const known = resourcesWith(verb).flatMap((one) => takenBy(one, verb))
  for (const [filter, meaning] of Object.entries(filters))
    if (known.includes(filter as Filter))
      command.option(`--${filter} <${placeholders[filter as Filter] ?? filter}>`, meaning)
  return command
}

const placeholders: { [F in Filter]?: string } = {
  since: 'time',
  until: 'time',
  group: 'ref',
  consumer: 'ref',
  event: 'type',
}

/** The filters of the command line, for a resource that takes them all. @throws UsageError */
export function filtersFor(chosen: Resource, verb: Verb, options: Options): Options {
  const taken = takenBy(chosen, verb)
  const present = (Object.keys(filters) as Filter[]).filter((filter) => options[filter] !== undefined)
  const foreign = present.filter((filter) => !taken.includes(filter)).map((filter) => `--${filter}`)
  if (foreign.length > 0) {
    const takes = taken.map((filter) => `--${filter}`).join(', ')
    throw new UsageError(
      `${foreign.join(', ')} does not apply to ${chosen.name}. Here, ${verb} accepts ${takes || 'no filters'}.`,
    )
  }
  const missing = chosen[verb]?.needs?.filter((filter) => options[filter] === undefined) ?? []
  if (missing.length > 0)
    throw new UsageError(`\`${verb} ${chosen.name}\` needs ${missing.map((filter) => `--${filter}`).join(' and ')}.`)
  return Object.fromEntries(present.map((filter) => [filter, options[filter]]))
}

function takenBy(one: Resource, verb: Verb): Filter[] {
  return [...(one[verb]?.needs ?? []), ...(one[verb]?.takes ?? [])]
}
