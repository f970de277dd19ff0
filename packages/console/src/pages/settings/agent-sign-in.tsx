import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FormProblem, issueOf, TextField } from '../../parts/fields.tsx'
import { Card } from '../../parts/page.tsx'
import { useChange } from '../../session/data.ts'
import { type Project, useMay } from '../../session/project.tsx'

/** The MCP server of a project: its address for customers, and the page that signs them in. */
export function AgentSignIn({ project }: { project: Project }) {
  const mayChange = useMay('developer')
  const [page, setPage] = useState(project.agentSignInUrl ?? '')
  const address = `${location.origin}/mcp/v1/projects/${project.name}`
  const change = useChange('updateProject', {
    refreshes: ['listProjects', 'getProject'],
    done: 'The sign-in page was changed',
    showsProblem: false,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({
      projectIdOrName: project.id,
      body: { project: { agentSignInUrl: page }, updateMask: ['agentSignInUrl'] },
    })
  }
  return (
    <Card title="MCP server">
      <form className="form" onSubmit={submit}>
        <p>
          Your customers enter this address in an MCP client, and sign in with your product:
          <br />
          <code className="wrap">{address}</code> <CopyButton text={address} label="Copy the address" />
        </p>
        <TextField
          label="Sign-in page"
          inputMode="url"
          placeholder="https://app.example.com/agents/sign-in"
          help="Page of your product that signs customers in. Without it, only requests with a token or an API key reach the server."
          value={page}
          disabled={!mayChange}
          error={issueOf(change.error, 'agentSignInUrl')}
          onChange={(event) => setPage(event.target.value)}
        />
        <FormProblem error={change.error} />
        <div className="row">
          <Button
            type="submit"
            look="primary"
            busy={change.isPending}
            disabled={!mayChange || page === (project.agentSignInUrl ?? '')}
          >
            Save sign-in page
          </Button>
        </div>
      </form>
    </Card>
  )
}
