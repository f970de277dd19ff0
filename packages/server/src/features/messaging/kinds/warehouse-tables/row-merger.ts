import type { Column, Columns } from '../tables/columns.ts'
import type { RecordRow } from '../tables/rows.ts'
import {
  forgetStatement,
  keepStatement,
  type MergeDialect,
  mergeStatement,
  rememberStatement,
  removeStatement,
} from './merge-statement.ts'
import {
  type StagedRow,
  stagedArrays,
  stagedColumns,
  stagedMark,
  stagedMessage,
  stagedRecord,
  stagedRemoval,
  withRecordKey,
} from './staged-rows.ts'
import type { TableWarehouse, WarehouseRemovals, WriteOptions } from './table-warehouse.ts'

/** The tables that every namespace may have, and those of objects. */
export type TableOf = 'messages' | 'removals' | { object: string }

interface MergingWarehouse {
  dialect: MergeDialect
  /** The quoted name of a table. */
  target(table: TableOf): string
  /** Size of the rows of one statement, in bytes. */
  stagedBytesMax: number
  /** By default, all columns. */
  isWritable?(column: Column): boolean
  /** Runs a statement, perhaps with rows as an array of JSON. */
  run(statement: string, staged?: string): Promise<unknown>
}

export interface RowMerger
  extends Pick<TableWarehouse, 'mergeRecords' | 'markRecords' | 'insertMessages'>,
    Pick<WarehouseRemovals, 'remember' | 'remove' | 'forget'> {}

/** The methods that write rows, for a warehouse that stages rows in the statement that merges them. */
export function rowMerger({ dialect, target, stagedBytesMax, isWritable, run }: MergingWarehouse): RowMerger {
  const merge = async (statement: string, rows: readonly StagedRow[]) => {
    for (const staged of stagedArrays(rows, stagedBytesMax)) await run(statement, staged)
  }
  const removalsFor = ({ respectsRemovals }: WriteOptions) => (respectsRemovals ? target('removals') : undefined)
  const write = (
    rows: readonly RecordRow[],
    { statement, staged, options }: { statement: string; staged(row: RecordRow): StagedRow; options: WriteOptions },
  ) =>
    merge(
      statement,
      rows.map((row) => (options.respectsRemovals ? withRecordKey(staged(row), row) : staged(row))),
    )
  return {
    mergeRecords(table: string, columns: Columns, rows, options) {
      const written = stagedColumns(columns, rows, isWritable)
      const parts = { columns: written, hasValues: true, removals: removalsFor(options) }
      const statement = mergeStatement(target({ object: table }), dialect, parts)
      return write(rows, { statement, staged: (row) => stagedRecord(row, written), options })
    },
    markRecords(table, _columns, rows, options) {
      const parts = { columns: [], hasValues: false, removals: removalsFor(options) }
      const statement = mergeStatement(target({ object: table }), dialect, parts)
      return write(rows, { statement, staged: stagedMark, options })
    },
    insertMessages: (messages) => merge(keepStatement(target('messages'), dialect), messages.map(stagedMessage)),
    remember: (removals) => merge(rememberStatement(target('removals'), dialect), removals.map(stagedRemoval)),
    remove: (table, rows) => merge(removeStatement(target({ object: table }), dialect), rows.map(stagedMark)),
    async forget(before) {
      await run(forgetStatement(target('removals'), dialect, before))
    },
  }
}
