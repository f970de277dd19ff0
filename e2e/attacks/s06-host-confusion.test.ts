import { attack } from './s06-host-confusion.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
