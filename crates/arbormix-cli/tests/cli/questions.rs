//! What `predict` answers beside the most probable set.

use serde_json::Value;

use crate::support::Folder;

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A folder with a CTBN whose labels depend on each other.
fn folder() -> Folder {
    let folder = Folder::with_model();
    folder.succeed("fit train.csv --labels cat,pet --method ctbn -o ctbn.model");
    folder
}

fn near(a: &Value, b: f64) -> bool {
    (a.as_f64().unwrap() - b).abs() < 1e-9
}

#[test]
fn the_answers_agree_with_each_other() {
    let folder = folder();
    for model in ["br.model", "ctbn.model"] {
        let asked = format!(
            "predict {model} test.csv --json --top 4 --counts --label-counts --gate --pairs --mass 1 --event cat&pet \
             --event cat|pet"
        );
        for line in lines(&folder.succeed(&asked)) {
            let (cat, pet) = (line["marginals"]["cat"].as_f64().unwrap(), line["marginals"]["pet"].as_f64().unwrap());
            let both = line["events"]["cat&pet"].as_f64().unwrap();
            assert!(near(&line["events"]["cat|pet"], cat + pet - both), "{line}");
            assert!(near(&line["pairs"][0][2], both) && line["pairs"][0][0] == "cat", "{line}");
            let counts = line["counts"].as_array().unwrap();
            assert!(near(&counts[2], both) && near(&counts[1], cat + pet - 2.0 * both), "{line}");
            assert!(near(&line["label_counts"]["cat"][1], cat - both) && near(&line["label_counts"]["pet"][2], both));
            assert!(near(&line["gate"][0], 1.0) && near(&line["top_mass"], 1.0));
            let top = line["top"].as_array().unwrap();
            assert!(top.iter().all(|set| set["certified"] == true && set["bound"] == set["probability"]), "{line}");
            let facts = |set: &Value| [set["labels"].clone(), set["probability"].clone()];
            let credible: Vec<_> = line["credible"]["sets"].as_array().unwrap().iter().map(facts).collect();
            assert_eq!(credible, top.iter().map(facts).collect::<Vec<_>>());
            assert!(line["credible"]["reached"] == true && near(&line["credible"]["mass"], 1.0), "{line}");
        }
    }
}

#[test]
fn known_labels_change_the_rest_by_the_rule_of_bayes() {
    let folder = folder();
    let free = lines(&folder.succeed("predict ctbn.model test.csv --json --event cat&pet"));
    let given = lines(&folder.succeed("predict ctbn.model test.csv --json --given pet=1 --for hamming"));
    for (free, given) in free.iter().zip(&given) {
        let pet = free["marginals"]["pet"].as_f64().unwrap();
        assert!(near(&given["known_probability"], pet));
        assert!(near(&given["marginals"]["cat"], free["events"]["cat&pet"].as_f64().unwrap() / pet));
        assert!(near(&given["marginals"]["pet"], 1.0));
        assert!(given["labels"].as_array().unwrap().contains(&"pet".into()));
        assert_eq!(given["decision"]["for"], "hamming");
    }
    // All labels of the file known: nothing is left to predict, and what was known had the joint probability.
    let told = lines(&folder.succeed("predict ctbn.model test.csv --json --use-known"));
    let text = String::from_utf8(folder.read("test.csv")).unwrap();
    for (line, row) in told.iter().zip(text.lines().skip(1)) {
        let cells: Vec<&str> = row.split(',').collect();
        let truth: Vec<&str> =
            ["cat", "pet"].into_iter().zip(&cells[2..]).filter(|(_, c)| **c == "1").map(|(n, _)| n).collect();
        assert_eq!(line["labels"], serde_json::json!(truth));
        assert!(near(&line["probability"], 1.0) && line["known_probability"].as_f64().unwrap() < 1.0);
    }
    // The command line stands above the file.
    let told = lines(&folder.succeed("predict ctbn.model test.csv --json --use-known --given cat=0"));
    assert!(told.iter().all(|line| near(&line["marginals"]["cat"], 0.0)));
}

#[test]
fn a_table_holds_the_same_answers() {
    let folder = folder();
    let options =
        "--given cat=1 --for recall@1 --event pet&!cat --counts --label-counts --gate --pairs --sample 2 --mass 0.9";
    let text = folder.succeed(&format!("predict ctbn.model test.csv {options}"));
    let json = lines(&folder.succeed(&format!("predict ctbn.model test.csv --json {options}")));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(String::from).collect();
    let new = [
        "P(known)",
        "decision",
        "open",
        "ranking",
        "expected",
        "P(pet&!cat)",
        "P(0 labels)",
        "P(1 labels)",
        "P(2 labels)",
        "P(cat, 0 labels)",
        "P(cat, 1 labels)",
        "P(cat, 2 labels)",
        "P(pet, 0 labels)",
        "P(pet, 1 labels)",
        "P(pet, 2 labels)",
        "gate",
        "P(cat & pet)",
        "sample_1",
        "sample_2",
        "credible_sets",
        "credible_mass",
        "credible_reached",
    ];
    assert_eq!(header[9..], new);
    for (record, line) in reader.records().map(Result::unwrap).zip(json) {
        let cell = |name: &str| record[header.iter().position(|other| other == name).unwrap()].to_string();
        let number = |name: &str| cell(name).parse::<f64>().unwrap();
        assert!(near(&line["known_probability"], number("P(known)")));
        assert!(near(&line["events"]["pet&!cat"], number("P(pet&!cat)")) && number("P(pet&!cat)") == 0.0);
        assert!(near(&line["counts"][1], number("P(1 labels)")));
        assert!(near(&line["label_counts"]["pet"][2], number("P(pet, 2 labels)")) && number("gate") == 1.0);
        assert!(near(&line["decision"]["expected"], number("expected")));
        assert!(cell("sample_1").contains("cat") && line["samples"].as_array().unwrap().len() == 2);
        let ranking: Vec<&str> =
            line["decision"]["ranking"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(cell("ranking"), ranking.join(";"));
    }
}

#[test]
fn every_rule_decides_and_samples_follow_the_seed() {
    let folder = folder();
    for rule in
        ["subset", "hamming", "f1", "fbeta=2", "jaccard", "rank", "precision@1", "recall@2", "cost=1:5", "abstain=0.2"]
    {
        let all = lines(&folder.succeed(&format!("predict ctbn.model test.csv --json --for {rule}")));
        assert!(all.iter().all(|line| line["decision"]["expected"].is_number() && line["decision"]["for"] == rule));
    }
    folder.write("costs.csv", "label,false_positive,false_negative\npet,1,1\ncat,0,1\n");
    let all = lines(&folder.succeed("predict ctbn.model test.csv --json --for cost=costs.csv"));
    assert!(all.iter().all(|line| line["decision"]["labels"][0] == "cat"), "saying cat costs nothing");
    let sampled = |seed: u64| folder.succeed(&format!("predict ctbn.model test.csv --sample 9 --seed {seed}"));
    assert_eq!(sampled(1), sampled(1));
    assert_ne!(sampled(1), sampled(2));
}

#[test]
fn questions_that_cannot_be_understood_are_refused() {
    let folder = folder();
    folder.write("bare.csv", "size,fur\n0.5,0.1\n");
    for (arguments, message) in [
        (
            "predict br.model test.csv --given dog=1",
            "error: \"dog=1\", column 1: no label is called \"dog\"; the model's labels: cat, pet\n",
        ),
        (
            "predict br.model test.csv --event cat&",
            "error: \"cat&\", column 5: expected a label's name, ! or (, found the end\n",
        ),
        ("predict br.model bare.csv --use-known", "error: --use-known: the data file holds no label of the model\n"),
        ("predict br.model test.csv --for f2", "there is no such rule; known: subset, hamming"),
        ("predict br.model test.csv --mass 2", "expected a probability from 0 to 1"),
        ("predict br.model test.csv --counts --inference exact", "cannot be used with"),
        ("predict br.model test.csv --for cost=none.csv", "none.csv: No such file"),
    ] {
        let ran = folder.run(arguments);
        assert!(ran.code != 0 && ran.stdout.is_empty() && ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
    }
}

#[test]
fn a_time_limit_leaves_a_proven_gap() {
    let folder = Folder::new();
    folder.succeed("demo --write .");
    folder.succeed("fit photos-train.arff --experts 4 -o photos.model");
    let exact = lines(&folder.succeed("predict photos.model photos-test.arff --json --top 3"));
    let hasty = lines(&folder.succeed("predict photos.model photos-test.arff --json --top 3 --time-limit 0"));
    for (exact, hasty) in exact.iter().zip(&hasty) {
        assert!(exact["certified"] == true && exact["gap"] == 0.0, "{exact}");
        let value = |line: &Value, name: &str| line[name].as_f64().unwrap();
        let best = value(exact, "probability");
        assert!(value(hasty, "bound") >= best - 1e-12 && value(hasty, "probability") <= best + 1e-12, "{hasty}");
        let times = value(hasty, "bound") / value(hasty, "probability");
        assert!((value(hasty, "gap") - (times - 1.0)).abs() < 1e-9, "{hasty}");
        assert!(value(&hasty["top"][0], "bound") >= best - 1e-12 && hasty["top"].as_array().unwrap().len() == 3);
    }
    let ample = lines(&folder.succeed("predict photos.model photos-test.arff --json --top 3 --time-limit 600000"));
    for (exact, ample) in exact.iter().zip(&ample) {
        assert_eq!((&exact["labels"], &ample["certified"]), (&ample["labels"], &Value::Bool(true)));
        assert_eq!(exact["top"], ample["top"]);
    }
    // A limit that ends every search at once still answers all, and says that it has not proven them all.
    let short =
        folder.succeed("predict photos.model photos-test.arff --json --top 3 --mass 0.99 --for jaccard --time-limit 0");
    for (line, ample) in lines(&short).iter().zip(&ample) {
        assert!(line["bound"].as_f64().unwrap() >= ample["probability"].as_f64().unwrap() - 1e-12);
        assert_eq!(line["credible"]["sets"].as_array().unwrap().len(), 1);
    }
    let few = lines(&folder.succeed("predict photos.model photos-test.arff --json --top 3 --node-limit 1"));
    assert!(few.iter().all(|line| line["nodes"].as_u64().unwrap() <= 1), "{few:?}");
    assert!(few.iter().zip(&exact).all(|(few, exact)| few["certified"] == false || few["labels"] == exact["labels"]));
    let ran = folder.run("predict photos.model photos-test.arff --time-limit 5 --inference exact");
    assert!(ran.code == 2 && ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
}

#[test]
fn rules_that_rest_on_marginals_need_no_joint_distribution() {
    let folder = folder();
    for method in ["cc", "pcc", "mmoc"] {
        folder.succeed(&format!("fit train.csv --labels cat,pet --method {method} -o m.model"));
        for line in lines(&folder.succeed("predict m.model test.csv --json --for cost=1:3")) {
            let [cat, pet] = ["cat", "pet"].map(|name| line["marginals"][name].as_f64().unwrap());
            let said = |name: &str| line["decision"]["labels"].as_array().unwrap().iter().any(|label| label == name);
            assert_eq!((said("cat"), said("pet")), (3.0 * cat > 1.0 - cat, 3.0 * pet > 1.0 - pet), "{method}: {line}");
            let cost = |p: f64| (3.0 * p).min(1.0 - p);
            assert!(near(&line["decision"]["expected"], cost(cat) + cost(pet)));
        }
        let ran = folder.run("predict m.model test.csv --for f1");
        assert!(ran.code != 0 && ran.stderr.contains("use mlme or ctbn"), "{}", ran.stderr);
    }
}

#[test]
fn an_explanation_agrees_with_the_prediction() {
    let folder = folder();
    folder.succeed("fit train.csv --labels cat,pet --experts 2 -o mlme.model");
    folder.succeed("fit train.csv --labels cat,pet --method stack -o stack.model");
    for model in ["br.model", "ctbn.model", "mlme.model", "stack.model"] {
        let predicted = lines(&folder.succeed(&format!("predict {model} test.csv --json --top 4")));
        for row in [0, 9] {
            let why = folder.json(&format!("explain {model} test.csv --row {row} --json"));
            assert_eq!(why["labels"], predicted[row]["labels"]);
            let shares: f64 = why["responsibilities"].as_array().unwrap().iter().filter_map(Value::as_f64).sum();
            assert!((shares - 1.0).abs() < 1e-9);
            for reason in why["reasons"].as_array().unwrap() {
                let name = &reason["label"];
                assert!(near(
                    &reason["marginal"],
                    predicted[row]["marginals"][name.as_str().unwrap()].as_f64().unwrap()
                ));
                // The best of the four sets that differs from the first in this label.
                let has = |set: &Value| set["labels"].as_array().unwrap().contains(name);
                let sets = predicted[row]["top"].as_array().unwrap();
                let other = sets.iter().find(|set| has(set) != has(&sets[0])).unwrap();
                assert_eq!(reason["best_otherwise"], other["labels"]);
                let times = sets[0]["probability"].as_f64().unwrap() / other["probability"].as_f64().unwrap();
                assert!((reason["times_less_probable_otherwise"].as_f64().unwrap() / times - 1.0).abs() < 1e-9);
                if model == "br.model" {
                    // Without edges the log-odds are the marginal's, and have no parent.
                    let p = reason["marginal"].as_f64().unwrap();
                    assert!(near(&reason["log_odds"], (p / (1.0 - p)).ln()) && reason["parent"].is_null());
                }
            }
        }
    }
    assert!(folder.succeed("explain ctbn.model test.csv --row 0").contains("expert 1 of 1 spoke"));
    let ran = folder.run("explain ctbn.model test.csv --row 10");
    assert_eq!((ran.code, ran.stderr.as_str()), (2, "error: --row 10: test.csv has 10 rows, and the first is row 0\n"));
}

#[test]
fn thresholds_travel_with_the_model_and_are_asked_for_when_they_lack() {
    let folder = folder();
    let ran = folder.run("predict ctbn.model test.csv --for macro-f1");
    assert!(
        ran.code != 0 && ran.stderr.contains("no thresholds") && ran.stderr.contains("fit --thresholds"),
        "{}",
        ran.stderr
    );
    folder.succeed("fit train.csv --labels cat,pet --method ctbn --thresholds -o f1.model");
    // This method finds them on the way, so that the option changes nothing.
    folder.succeed("fit train.csv --labels cat,pet --method stack -o stack.model");
    folder.succeed("fit train.csv --labels cat,pet --method stack --thresholds -o asked.model");
    assert_eq!(folder.read("stack.model"), folder.read("asked.model"));
    for model in ["f1.model", "stack.model"] {
        let thresholds = folder.json(&format!("inspect {model} --json"))["thresholds"].clone();
        for (place, rule) in ["macro-f1", "micro-f1"].into_iter().enumerate() {
            let (fitted, names) = (&thresholds[place], ["cat", "pet"]);
            assert_eq!(fitted["measure"], rule);
            for line in lines(&folder.succeed(&format!("predict {model} test.csv --json --for {rule}"))) {
                let above = |i: &usize| line["marginals"][names[*i]].as_f64() > fitted["values"][*i].as_f64();
                let expected: Vec<&str> = (0..2).filter(above).map(|i| names[i]).collect();
                assert_eq!(line["decision"]["labels"], serde_json::json!(expected));
                assert_eq!(line["decision"]["expected"], fitted["reached"]);
            }
        }
    }
    let ran = folder.run("fit train.csv --labels cat,pet --method cc --thresholds -o m");
    assert!(ran.code != 0 && ran.stderr.contains("cc cannot give decisions by thresholds"), "{}", ran.stderr);
}

/// A question with what it needs to be asked, in the words of `--ask`.
fn in_words(question: &Value) -> String {
    let needed = question["arguments"].as_array().unwrap().iter().filter(|argument| argument["required"] == true);
    let value = |argument: &Value| match argument["kind"].as_str().unwrap() {
        "whole number" => "2",
        "probability" => "0.7",
        "decision rule" => "f1",
        "event" => "cat&!pet",
        "label sets" => "cat;pet",
        other => panic!("no value of the kind {other}"),
    };
    let arguments: Vec<String> =
        needed.map(|argument| format!("{}={}", argument["name"].as_str().unwrap(), value(argument))).collect();
    format!("{}:{}", question["name"].as_str().unwrap(), arguments.join(","))
}

#[test]
fn every_declared_question_can_be_asked_by_its_name() {
    let folder = folder();
    let declared = folder.json("questions --json");
    let help = folder.succeed("predict --help");
    let list = folder.succeed("questions");
    for question in declared.as_array().unwrap() {
        let (name, words) = (question["name"].as_str().unwrap(), in_words(question));
        assert!(help.contains(question["meaning"].as_str().unwrap()) && list.contains(&format!("{name}: ")), "{name}");
        let all = lines(&folder.succeed(&format!("predict ctbn.model test.csv --json --ask {words}")));
        assert!(all.iter().all(|line| !line[name].is_null()), "{name}");
        let text = folder.succeed(&format!("predict ctbn.model test.csv --ask {words}"));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let width = reader.headers().unwrap().len();
        assert!(reader.records().all(|record| record.unwrap().len() == width), "{name}");
    }
}

#[test]
fn options_are_short_for_questions() {
    let folder = folder();
    let run = |options: &str| folder.succeed(&format!("predict ctbn.model test.csv --json {options}"));
    for (option, question) in [
        ("--top 2", "top:count=2"),
        ("--counts", "counts"),
        ("--for jaccard", "decision:rule=jaccard"),
        ("--event cat&pet --event cat", "events:expression=cat&pet --ask events:expression=cat"),
        ("--sample 4 --seed 3", "samples:count=4 --seed 3"),
        ("--sample 4 --seed 3", "samples:count=4,seed=3"),
        ("--mass 0.7", "credible:mass=0.7"),
        ("--given cat=1 --gate", "gate --given cat=1"),
        ("--counts", "counts --counts"),
    ] {
        assert_eq!(run(option), run(&format!("--ask {question}")), "{option}");
    }
    for (arguments, message) in [
        ("--ask nothing", "error: --ask: parameter question \"nothing\": there is no such question; known: map"),
        ("--ask counts:all=1", "error: unknown parameter \"all\"; known here: none"),
        ("--top 2 --ask top:count=3", "error: --ask: top is asked twice"),
        ("--ask counts --inference exact", "cannot be used with"),
    ] {
        let ran = folder.run(&format!("predict ctbn.model test.csv {arguments}"));
        assert!(ran.code == 2 && ran.stdout.is_empty() && ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
    }
}

#[test]
fn chains_answer_what_needs_no_joint_distribution() {
    let folder = folder();
    folder.succeed("fit train.csv --labels cat,pet --method pcc -o pcc.model");
    let all =
        lines(&folder.succeed("predict pcc.model test.csv --json --ask log_prob:labels=cat;pet --ask top:count=4"));
    for line in all {
        let has_both = |set: &&Value| set["labels"].as_array().unwrap().len() == 2;
        let both = line["top"].as_array().unwrap().iter().find(has_both).unwrap();
        assert!(near(&both["probability"], line["log_prob"].as_f64().unwrap().exp()), "{line}");
    }
    let ran = folder.run("predict pcc.model test.csv --ask pairs");
    assert!(ran.code != 0 && ran.stderr.contains("use mlme or ctbn"), "{}", ran.stderr);
}
