import { label } from './text';

export class Button extends Base {
  render() {
    return <div onClick={() => this.press()}>{label(this.props.name)}</div>;
  }
  press() {
    track('press');
  }
}

function track(name: string) {}
