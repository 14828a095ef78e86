import { memo, type FC } from "react";

interface Props {
  items: string[];
  onPick?(item: string): void;
}

/** One row. */
const Row: FC<{ item: string }> = ({ item }) => <li className="row">{format(item)}</li>;

export const List = memo(function List({ items, onPick }: Props) {
  const rows = items.map((item) => <Row key={item} item={item} />);
  const pick = (item: string) => onPick?.(item);
  return (
    <Theme.Provider value="dark">
      <ul onClick={() => pick("x")}>{rows}</ul>
      <Modal<string> open />
    </Theme.Provider>
  );
});

export default function App(): JSX.Element {
  const state = useStore<Props>((s) => s.props);
  return <List {...state} />;
}

class Boundary extends React.Component<Props> {
  state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  render() {
    return this.state.failed ? null : <>{this.props.children}</>;
  }
}

const Typed = ({ store }: Props, client: Client): JSX.Element => <Row item={client.name(store)} />;
