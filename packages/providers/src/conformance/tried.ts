/** Cases of an object that belong together. */
export type CaseGroup = 'read' | 'failures' | 'lookup' | 'describe' | 'sign-in' | 'stream' | EventGroup | WriteGroup

/** Cases of the webhooks of a file. */
export type EventGroup = 'events' | 'signatures' | 'handshakes' | 'subscriptions'

type WriteGroup = `${'' | 'batch ' | 'job '}${'create' | 'update' | 'delete'}`

/** A case of the suite, and what it found wrong. */
export interface Tried {
  group: CaseGroup
  name: string
  faults: string[]
  /** Why the stand-in cannot try it. */
  because?: string
}

/** Something that a provider file may declare, and the stand-in cannot serve. */
export class StandInLimit extends Error {
  override name = 'StandInLimit'
}

/** Tries a case. An error is a fault; a limit of the stand-in is none. */
export async function tryCase(group: CaseGroup, name: string, test: () => Promise<string[]>): Promise<Tried> {
  try {
    return { group, name, faults: await test() }
  } catch (error) {
    if (error instanceof StandInLimit) return { group, name, faults: [], because: error.message }
    return { group, name, faults: [`fails: ${String(error)}`] }
  }
}

/** The name of a case among all those of an object. */
export function caseName({ group, name }: Pick<Tried, 'group' | 'name'>): string {
  return group === 'read' || group === 'failures' ? name : `${group} ${name}`
}
