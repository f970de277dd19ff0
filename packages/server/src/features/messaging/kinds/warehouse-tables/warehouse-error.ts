import type { SendResult } from '../kind.ts'
import type { Refusal } from '../tables/table-database.ts'

/** What a warehouse answered to a statement that it did not execute. */
export class WarehouseError extends Error implements Refusal {
  readonly isTransient: boolean
  readonly isOfColumns: boolean
  readonly isAboutData: boolean
  /** Whether the warehouse does not know such a statement. */
  readonly isUnknownSyntax: boolean
  readonly result: SendResult

  constructor(
    result: SendResult,
    {
      isTransient = false,
      isOfColumns = false,
      isAboutData = false,
      isUnknownSyntax = false,
    }: Partial<Omit<Refusal, 'result'> & { isUnknownSyntax: boolean }> = {},
  ) {
    super(result.error)
    this.isUnknownSyntax = isUnknownSyntax
    this.isTransient = isTransient
    this.isOfColumns = isOfColumns
    this.isAboutData = isAboutData
    // A record alone that is refused for its data is refused for good.
    this.result = isAboutData ? { ...result, outcome: 'refused' } : result
  }
}

/** Creates a namespace. An error names it. */
export async function creating(namespace: string, create: () => Promise<void>): Promise<void> {
  try {
    await create()
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error
    const { error: reason = '' } = error.result
    throw new WarehouseError({ ...error.result, error: `Mortise could not create ${namespace}. ${reason}` }, error)
  }
}
