import { attack } from './s10-redos.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
