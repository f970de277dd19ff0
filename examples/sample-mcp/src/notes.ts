import type { CallToolResult, Tool } from '@modelcontextprotocol/server'

/** What the server keeps, until it stops. */
export interface Note {
  id: string
  title: string
  text: string
  owner: string
  secret: string
}

export const noteTools: readonly Tool[] = [
  {
    name: 'search_notes',
    description: 'Finds notes by a word.',
    inputSchema: {
      type: 'object',
      properties: {
        word: { type: 'string', description: 'A word in the title or the text.' },
        owner: { type: 'string', description: 'Whose notes.' },
      },
      required: ['word', 'owner'],
    },
  },
  {
    name: 'add_note',
    description: 'Adds a note.',
    inputSchema: {
      type: 'object',
      properties: {
        title: { type: 'string', maxLength: 100 },
        text: { type: 'string' },
        color: { type: 'string', enum: ['yellow', 'green', 'red'] },
      },
      required: ['title'],
    },
  },
  {
    name: 'delete_all_notes',
    description: 'Deletes all notes of everybody.',
    inputSchema: { type: 'object', properties: {} },
  },
]

/** Notes of an account, and what the tools do with them. */
export function createNotes() {
  const notes: Note[] = [
    { id: 'note_1', title: 'Call Ada', text: 'About the engine.', owner: 'acme', secret: 'combination 1815' },
    { id: 'note_2', title: 'Call Grace', text: 'About the compiler.', owner: 'globex', secret: 'combination 1906' },
  ]
  const json = (value: Record<string, unknown>): CallToolResult => ({
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
  })
  return {
    notes,
    call(name: string, args: Record<string, unknown>): CallToolResult {
      const text = (key: string) => (typeof args[key] === 'string' ? args[key] : '')
      switch (name) {
        case 'search_notes': {
          const word = text('word').toLowerCase()
          const isFound = (note: Note) => `${note.title} ${note.text}`.toLowerCase().includes(word)
          return json({ notes: notes.filter((note) => note.owner === text('owner') && isFound(note)) })
        }
        case 'add_note': {
          if (text('title') === '') return { isError: true, content: [{ type: 'text', text: 'A note needs a title.' }] }
          const note = {
            id: `note_${notes.length + 1}`,
            title: text('title'),
            text: text('text'),
            owner: 'acme',
            secret: '',
          }
          notes.push(note)
          return json({ id: note.id })
        }
        case 'delete_all_notes':
          notes.length = 0
          return { content: [{ type: 'text', text: 'Done.' }] }
        default:
          return { isError: true, content: [{ type: 'text', text: 'There is no such tool.' }] }
      }
    },
  }
}
