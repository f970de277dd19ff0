import { type Static, Type } from 'typebox'
import { choice, condition, map, name, path, strict } from './vocabulary.ts'

/** How the text of a cell becomes a value. */
export const cellTypes = ['number', 'decimal', 'boolean', 'json', 'epochMicros'] as const
export type CellType = (typeof cellTypes)[number]

/** The columns of a table, wherever its rows are lists of cells. */
export const Rows = Type.Object(
  {
    columns: Type.Optional(path('Path of the list of columns in the response. Default: the first row has the names.')),
    name: Type.Optional(path('Path of the name in a column. Default: the column is the name.')),
    type: Type.Optional(path('Path of the type in a column.')),
    types: Type.Optional(
      map(
        choice(
          cellTypes,
          '`number`, `decimal` (a number if it has at most 15 digits, otherwise a text), `boolean`, `json`, or `epochMicros`: a time in microseconds since 1970.',
        ),
        'Columns that are not texts, by their type in any letter case.',
      ),
    ),
    value: Type.Optional(path('Path of the value in a cell. Default: the cell is the value.')),
    inner: Type.Optional(
      path('Path, in a column, of the columns of a nested row. The value is then a row like those of the list.'),
    ),
    repeated: Type.Optional(condition('Columns whose value is a list of cells.')),
    mayBeShort: Type.Optional(
      Type.Boolean({
        description:
          'A row may have fewer cells than there are columns, for providers that leave out empty ones at the end: the other fields are `null`. A row without any value is left out. Default: such a row is an error.',
      }),
    ),
    number: Type.Optional(
      name(
        'Field for the number of the row: with `paging` by `offset`, its offset. Otherwise the first one is 1, or 2 after a row of names.',
      ),
    ),
  },
  {
    ...strict,
    description:
      'The items of the list are rows: lists of cells. Mortise makes a record of each, by the names of the columns. A row that does not fit the columns is an error.',
  },
)
export type Rows = Static<typeof Rows>
